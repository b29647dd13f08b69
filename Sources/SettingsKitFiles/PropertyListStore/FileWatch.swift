import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Has a property list looked at when something happens to it, to its journal or to a symbolic link on the way to it, and
/// from time to time all the same.
///
/// It starts with the first listener or write, and a moment after opening at the latest: a process that reads and exits
/// does without. What has changed since opening is looked for when it starts.
final class FileWatch: Sendable {
    /// How long a store without a listener or a write may go without a watch.
    private static let startingDelay = Duration.milliseconds(200)
    /// How long a change may go unnoticed where the file system may not report it.
    private static let pause = Duration.seconds(2)

    /// The path of the journal, as it was found last.
    private final class JournalPath: Sendable {
        let value: Mutex<String>

        init(_ value: String) { self.value = Mutex(value) }
    }

    private let lookout: Lookout
    private let queue: BackgroundQueue
    private let hasStarted = Atomic(false)

    init(of list: JournaledPropertyList) {
        queue = list.queue
        let journal = JournalPath(FilesBeside.journal(list.path))
        lookout = Lookout(
            queue: queue,
            subject: .init(
                pause: Self.pause,
                places: { [weak list] in
                    guard let list else { return [] }
                    let files = Self.links(from: list.path, in: list.fileSystem)
                    let path = FilesBeside.journal(files.last ?? list.path)
                    journal.value.withLock { $0 = path }
                    return Self.places(of: files + [path])
                },
                didChange: { [weak list] event in
                    guard let list else { return }
                    // Most often it is what is done here that is reported: nothing to keep it waiting for.
                    let path = journal.value.withLock { $0 }
                    if event == .changed(name: WholeFile.split(path).name), list.isUnchanged(path) { return }
                    list.lookAgain()
                },
                isQuiet: { [weak list] in list?.isQuiet ?? true },
                isFailing: { [weak list] in list?.hasLookedInVain.load(ordering: .relaxed) ?? false },
                look: { [weak list] in list?.look() }))
        queue.asyncAfter(Self.startingDelay) { [weak self] in self?.startNow() }
    }

    /// Starts in the background, unless it has started.
    func start() {
        if hasStarted.load(ordering: .relaxed) { return }
        queue.async { [weak self] in self?.startNow() }
    }

    private func startNow() {
        if hasStarted.exchange(true, ordering: .acquiringAndReleasing) { return }
        lookout.begin(looking: true)
    }

    /// A path, and where the symbolic links there lead, one after the other: the last one is the file's.
    static func links(from path: String, in fileSystem: any FileSystem) -> [String] {
        var paths = [path]
        do throws(SystemError) {
            while paths.count <= 40, let last = paths.last,
                try fileSystem.status(of: last, followingLink: false)?.kind == .link
            {
                let destination = try fileSystem.destination(ofLink: last)
                paths.append(
                    destination.hasPrefix("/")
                        ? destination : WholeFile.join(WholeFile.split(last).directory, destination))
            }
        } catch {
            // What lies beyond cannot be read either, which looking reports.
        }
        return paths
    }

    /// The directories of files, each once, with the names in it.
    static func places(of files: [String]) -> [Lookout.Place] {
        var places: [Lookout.Place] = []
        for file in files {
            let (directory, name) = WholeFile.split(file)
            if let index = places.firstIndex(where: { $0.directory == directory }) {
                places[index].names?.insert(name)
            } else {
                places.append(.init(directory: directory, names: [name]))
            }
        }
        return places
    }
}

import SettingsKitCore
import SettingsKitPlatform

/// Notices the writes of other processes and programs, and has them read.
///
/// Watching starts with the first listener or write, or a moment after opening: a process that reads and exits needs no watch.
/// Changes since opening are then read.
final class PropertyListWatch: ChangeMonitored {
    private let files: PropertyListFiles
    private let folder: PropertyListFolder
    private let setup: PropertyListSetup

    init(_ files: PropertyListFiles, _ folder: PropertyListFolder, _ setup: PropertyListSetup) {
        (self.files, self.folder, self.setup) = (files, folder, setup)
        files.monitor.monitor(self)
        guard setup.isWatching else { return }
        files.monitor.start(after: PropertyListTimings.watchingDelay)
        files.contents.feed.onFirstListener { [weak self] in self?.start() }
    }

    /// Starts to notice changes of other processes, if the list is watched at all.
    func start() { if setup.isWatching { files.monitor.start() } }

    /// The property list, its journal, and symbolic links that lead to them.
    var monitoredPlaces: [ChangeMonitor.Place] {
        let paths = WholeFile(path: setup.path, fileSystem: setup.fileSystem).links
        let journal = FilesBeside.journal(paths.last ?? setup.path)
        files.end.path = journal
        return ChangeMonitor.Place.places(of: paths + [journal])
    }

    /// Most events report this process's own writes. They are recognized without a lock, so that neither the next change nor the
    /// watcher waits.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        event != .changed(name: WholeFile.split(files.end.path).name) || !files.end.isPresent(in: setup.fileSystem)
    }

    var isQuiet: Bool {
        let isQuiet = files.withLockIfAvailable { [end = files.end, setup] writer in
            do throws(SystemError) {
                return try writer.follower.file.status() == writer.follower.list.status
                    && end.isPresent(in: setup.fileSystem)
            } catch {
                return false
            }
        }
        // If another thread uses the files, it reads the changes.
        return isQuiet ?? true
    }

    func poll() throws -> Bool {
        try folder.refresh(waiting: PropertyListTimings.pollPatience)
        return true
    }

    func reportFailedPoll(_ error: any Error) {
        files.contents.feed.report(.wrap(error, as: .readFailed, store: setup.description))
    }
}

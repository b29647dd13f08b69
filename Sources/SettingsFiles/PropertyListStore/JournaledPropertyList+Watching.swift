import Dispatch
import SettingsCore
import Synchronization

/// Noticing what others do.
extension JournaledPropertyList {
    /// Has a look at the files soon, in the background.
    func lookAgain(after delay: Duration = .zero) {
        guard hasBackground else { return }
        if delay > .zero {
            queue.asyncAfter(deadline: .now() + (delay / .seconds(1))) { [weak self] in Fork.excluded { self?.look() } }
        } else if !isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) {
            queue.async { [weak self] in
                self?.isAboutToLook.store(false, ordering: .releasing)
                Fork.excluded { self?.look() }
            }
        }
    }

    /// Whether there is nothing new in the journal, as far as can be told from outside.
    func isUnchanged(_ journalPath: String) -> Bool {
        do throws(SystemError) {
            return isKnown(try fileSystem.status(of: journalPath, followingLink: true))
        } catch {
            return false
        }
    }

    /// Has a look at the files now; tells of the first failure in a row.
    func look() {
        do {
            try refresh(waiting: .milliseconds(20))
            hasLookedInVain.store(false, ordering: .relaxed)
        } catch SettingsError.Code.busy {
            // Somebody works on the files; there will be another event, or the next look in its turn.
        } catch {
            if hasLookedInVain.exchange(true, ordering: .relaxed) { return }
            feed.report(.wrap(error, as: .readFailed, store: description))
        }
    }
}

extension JournaledPropertyList {
    /// What others have been told of the changes made here.
    enum Announcement: UInt8, AtomicRepresentable {
        /// Everything.
        case none
        /// Everything, a moment ago.
        case made
        /// Not the last change.
        case needed
    }

    /// How long others are not told again.
    private static var announcementPause: DispatchTimeInterval { .microseconds(500) }

    /// Tells other processes that the journal has grown: touches it, in the background, as that takes as long as setting a
    /// value, and seldom enough when many values are set in a row.
    ///
    /// The end of the process needs no announcement: it closes the journal, which is one.
    func announce() {
        if announcement.load(ordering: .relaxed) == .needed { return }
        guard announcement.exchange(.needed, ordering: .acquiringAndReleasing) == .none, hasBackground else { return }
        queue.async { [weak self] in self?.makeAnnouncement() }
    }

    private func makeAnnouncement() {
        announcement.store(.made, ordering: .releasing)
        Fork.excluded {
            access.withLock { access in
                guard let journal = access.journal else { return }
                do throws(SystemError) {
                    try fileSystem.touch(journal.file)
                } catch {
                    // Others look from time to time, too.
                }
            }
        }
        queue.asyncAfter(deadline: .now() + Self.announcementPause) { [weak self] in
            guard let self else { return }
            let (isDone, _) = announcement.compareExchange(
                expected: .made, desired: .none, ordering: .acquiringAndReleasing)
            if !isDone { makeAnnouncement() }
        }
    }
}

/// Has a property list looked at when something happens in its directory, and from time to time all the same: some file
/// systems tell nothing, and sometimes there is nobody left to tell.
final class FileWatch: Sendable {
    private struct State {
        var directory: String
        var watch: DirectoryWatcher.Watch?
    }

    /// How long a change may go unnoticed where the system tells of changes, and where it does not.
    private static let (slow, quick) = (Duration.seconds(2), Duration.milliseconds(100))

    private let state: Mutex<State>

    /// - Parameter target: The file, with symbolic links followed.
    init(of list: JournaledPropertyList, target: String) {
        let directory = WholeFile.split(target).directory
        state = Mutex(State(directory: directory, watch: Self.watch(list, target)))
        poll(list)
    }

    private static func watch(_ list: JournaledPropertyList, _ target: String) -> DirectoryWatcher.Watch? {
        let journal = FilesBeside.journal(target)
        let names = [target, journal, list.path].map { WholeFile.split($0).name }
        let directory = WholeFile.split(target).directory
        return DirectoryWatcher.shared.watch(directory, names: Set(names)) { [weak list] event in
            guard let list else { return }
            // Most often it is what is done here that is told: nothing to keep it waiting for.
            if event == .changed(name: names[1]), list.isUnchanged(journal) { return }
            list.lookAgain()
        }
    }

    /// Looks again and again, with a watch if there can be one.
    private func poll(_ list: JournaledPropertyList) {
        let isWorking = state.withLock { $0.watch?.isWorking ?? false }
        let delay = isWorking ? Self.slow : Self.quick
        list.queue.asyncAfter(deadline: .now() + (delay / .seconds(1))) { [weak self, weak list] in
            guard let self, let list else { return }
            Fork.excluded {
                renew(list)
                list.look()
            }
            poll(list)
        }
    }

    /// Watches another directory if the file is in another now, and tries anew where watching did not work.
    private func renew(_ list: JournaledPropertyList) {
        let target = list.access.withLock { $0.target }
        let directory = WholeFile.split(target).directory
        let isWorking = state.withLock { $0.directory == directory && $0.watch?.isWorking ?? false }
        if isWorking { return }
        let watch = Self.watch(list, target)
        let old = state.withLock { state in
            defer { state = State(directory: directory, watch: watch) }
            return state.watch
        }
        old?.cancel()
    }
}

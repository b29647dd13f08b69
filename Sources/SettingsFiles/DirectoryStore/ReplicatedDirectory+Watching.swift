import Dispatch
import SettingsCore
import Synchronization

/// Noticing what others change in the directory.
extension ReplicatedDirectory {
    /// Has a look at the directory soon; not in the thread that is told of an event.
    func lookAgain(after delay: Duration = .zero) {
        guard hasBackground, isWatching else { return }
        if delay > .zero {
            queue.asyncAfter(deadline: .now() + (delay / .seconds(1))) { [weak self] in
                Fork.excluded { self?.lookInBackground() }
            }
        } else if !isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) {
            queue.async { [weak self] in
                self?.isAboutToLook.store(false, ordering: .releasing)
                Fork.excluded { self?.lookInBackground() }
            }
        }
    }

    /// Looks at the directory, tells of the first failure in a row, and has the replica's file written if it needs to be.
    func lookInBackground() {
        let hasComeBack = hasLookedInVain.load(ordering: .relaxed)
        do {
            try look()
        } catch SettingsError.Code.busy {
            // Another process works on the state; the next look is soon.
            return
        } catch {
            return noteFailure(of: error)
        }
        // What cannot be written is tried again less and less often, unless something is different now.
        if needsExport, hasComeBack || !isExportRetried { scheduleExport(isOthers: true) }
    }
}

/// Has a shared directory looked at when something happens in it, and from time to time all the same: network file systems
/// tell nothing of what others do.
final class SharedDirectoryWatch: Sendable {
    private let watch = Mutex<DirectoryWatcher.Watch?>(nil)

    init(of core: ReplicatedDirectory) {
        renew(core)
        poll(core)
    }

    private func renew(_ core: ReplicatedDirectory) {
        if watch.withLock({ $0?.isWorking ?? false }) { return }
        let new = DirectoryWatcher.shared.watch(core.directory, names: nil) { [weak core] event in
            if case .changed(let name) = event, !ReplicaFileName.isPossible(name) { return }
            core?.lookAgain()
        }
        let old = watch.withLock { watch in
            defer { watch = new }
            return watch
        }
        old?.cancel()
    }

    private func poll(_ core: ReplicatedDirectory) {
        let delay = max(core.options.pollInterval / .seconds(1), 0.01)
        core.queue.asyncAfter(deadline: .now() + delay) { [weak self, weak core] in
            guard let self, let core else { return }
            Fork.excluded {
                renew(core)
                core.lookInBackground()
            }
            poll(core)
        }
    }
}

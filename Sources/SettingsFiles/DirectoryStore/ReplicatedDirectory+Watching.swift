import SettingsCore
import Synchronization

/// Noticing what others change in the directory.
extension ReplicatedDirectory {
    /// How long a change may go unnoticed where the file system may not report it.
    private static var pause: Duration { .seconds(2) }
    /// How long what was heard is gathered before the replica's file says so.
    private static var hearingPause: Duration { .seconds(30) }

    /// Has a look at the directory soon; not in the thread that is told of an event.
    func lookAgain(after delay: Duration = .zero) {
        guard hasBackground, isWatching else { return }
        if delay > .zero {
            queue.asyncAfter(delay) { [weak self] in self?.lookInBackground() }
        } else if !isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) {
            queue.async { [weak self] in
                self?.isAboutToLook.store(false, ordering: .releasing)
                self?.lookInBackground()
            }
        }
    }

    /// Has a look at the directory after a while, once, however often this is called until then.
    private func lookLater() {
        if isLookPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.pause) { [weak self] in
            self?.isLookPlanned.store(false, ordering: .releasing)
            self?.lookInBackground()
        }
    }

    /// Looks at the directory, tells of the first failure in a row, and has the replica's file written if it needs to be.
    func lookInBackground() {
        let hasComeBack = hasLookedInVain.load(ordering: .relaxed)
        do {
            try look()
        } catch SettingsError.Code.busy {
            // Another process works on the state.
            return lookLater()
        } catch {
            return noteFailure(of: error)
        }
        // A problem is reported when it is still there at the next look: a file may be in the middle of arriving.
        let isUnsettled = table.withLock { $0.files.contains { $1.hasUnsettledProblems(named: $0) } }
        if isUnsettled || missingParts.contains(where: \.isFresh) { lookLater() }
        // What cannot be written is tried again less and less often, unless something is different now.
        guard needsExport, hasComeBack || !isExportRetried else { return }
        if isOnlyHearingUnexported { exportLater() } else { scheduleExport(isOthers: true) }
    }

    /// Has the replica's file written in a while, once, however often this is called until then: that something was heard is
    /// of use to others, but not urgent.
    private func exportLater() {
        if isExportPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.hearingPause) { [weak self] in
            self?.isExportPlanned.store(false, ordering: .releasing)
            self?.scheduleExport()
        }
    }

    /// Has the directory looked at when something happens in it, and from time to time all the same.
    func makeLookout() -> Lookout {
        Lookout(
            queue: queue,
            subject: .init(
                pause: max(options.pollInterval ?? Self.pause, .milliseconds(10)),
                isPauseFixed: options.pollInterval != nil,
                places: { [weak self] in self.map { [.init(directory: $0.directory, names: nil)] } ?? [] },
                didChange: { [weak self] event in
                    if case .changed(let name) = event, !ReplicaFileName.isPossible(name) { return }
                    self?.lookAgain()
                },
                isQuiet: { [weak self] in self?.isQuiet ?? true },
                isFailing: { [weak self] in self?.hasLookedInVain.load(ordering: .relaxed) ?? false },
                look: { [weak self] in self?.lookInBackground() }))
    }

    /// Whether the files are in the states that are known, and there is nothing to be done at this time. Does not wait for
    /// anything but the directory, which is on a disk of this machine then.
    private var isQuiet: Bool {
        let (files, isCollecting) = table.withLock { ($0.files, $0.collectionPause?.hasPassed ?? true) }
        let (now, accepted) = (now(), tracker.memory.accepted)
        let isVouching = tracker.accepted(joining: [], now: now) != accepted
        if isCollecting || isVouching || needsExport && !isExportRetried { return false }
        do throws(SystemError) {
            for (name, file) in files {
                guard let known = file.status, !file.isFresh, file.summary?.isDue(now, accepted) != true,
                    try fileSystem.status(of: WholeFile.join(directory, name), followingLink: false) == known
                else { return false }
            }
            return true
        } catch {
            return false
        }
    }
}

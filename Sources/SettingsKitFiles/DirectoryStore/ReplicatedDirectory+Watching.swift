import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Notices changes of other devices in the directory.
extension ReplicatedDirectory {
    /// The interval at which the directory is read if the file system may not report changes.
    private static var pause: Duration { .seconds(2) }
    /// How long heard moments are gathered before the replica's file is written for them.
    private static var hearingPause: Duration { .seconds(30) }

    /// Reads the directory soon, on the background queue.
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

    /// Reads the directory after a pause. Further calls before that have no effect.
    private func lookLater() {
        if isLookPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.pause) { [weak self] in
            self?.isLookPlanned.store(false, ordering: .releasing)
            self?.lookInBackground()
        }
    }

    /// Reads the directory, diagnoses the first failure in a row, and schedules an export if the replica's files lack
    /// something.
    func lookInBackground() {
        let hasComeBack = hasLookedInVain.load(ordering: .relaxed)
        do {
            try look()
        } catch SettingsError.Code.busy {
            // Another process has locked the state.
            return lookLater()
        } catch {
            return noteFailure(of: error)
        }
        // A problem is reported when it is still there at the next look: a file may be in the middle of arriving.
        let isUnsettled = table.withLock { $0.files.contains { $1.hasUnsettledProblems(named: $0) } }
        if isUnsettled || missingParts.contains(where: \.isFresh) { lookLater() }
        // Failed exports are repeated at growing intervals, unless the directory has just become available again.
        guard needsExport, hasComeBack || !isExportRetried else { return }
        if isOnlyHearingUnexported { exportLater() } else { scheduleExport(isOthers: true) }
    }

    /// Schedules an export after a pause. Further calls before that have no effect. Heard moments let others forget
    /// removals, which is not urgent.
    private func exportLater() {
        if isExportPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.hearingPause) { [weak self] in
            self?.isExportPlanned.store(false, ordering: .releasing)
            self?.scheduleExport()
        }
    }

    /// Creates the lookout, which reads the directory at every event and also at intervals.
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

    /// Whether no file has changed and nothing is due. Waits for the directory only; it is on a local disk when this is
    /// called.
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

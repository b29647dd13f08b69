import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Notices changes of other devices in the directory.
extension ReplicatedDirectory: ChangeMonitored {
    var monitoredPlaces: [ChangeMonitor.Place] { [.init(directory: directory, names: nil)] }

    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        if case .changed(let name) = event { ReplicaFileName.isPossible(name) } else { true }
    }

    /// Reads the directory, and schedules an export if the replica's files lack something.
    func poll() throws -> Bool {
        let hasComeBack = monitor.isFailing
        let missingParts = try read()
        // A problem is reported if it persists at the next reading: a file may be arriving.
        let isUnsettled = table.withLock { $0.files.contains { $1.hasUnsettledProblems(named: $0) } }
        if isUnsettled || missingParts.contains(where: \.isFresh) {
            monitor.retry(after: DirectoryTimings.pollInterval)
        }
        // Failed exports are repeated at growing intervals, unless the directory has just become available again.
        guard hasComeBack || !isExportRetried else { return true }
        switch exportNeed {
        case .nothing: break
        case .heardMoments: exportLater()
        case .changes: scheduleExport(isOthers: !hasComeBack)
        }
        return true
    }

    /// Schedules an export after a pause. Further calls before that have no effect. Heard moments only let other replicas forget
    /// removals, which is not urgent.
    private func exportLater() {
        if isExportPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async(after: DirectoryTimings.hearingPause) { [weak self] in
            self?.isExportPlanned.store(false, ordering: .releasing)
            self?.scheduleExport()
        }
    }

    /// Whether no file has changed and nothing is due. Waits only for the directory, which is on a local disk when this is
    /// called.
    var isQuiet: Bool {
        let (files, isCollecting) = table.withLock { ($0.files, $0.collectionPause?.hasPassed ?? true) }
        let now = now()
        let accepted = accepted(now: now)
        let isVouching = tracker.vouched(now: now) != tracker.memory.accepted
        if isCollecting || isVouching || exportNeed != .nothing && !isExportRetried { return false }
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

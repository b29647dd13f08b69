import SettingsKitCore
import SettingsKitPlatform

/// Notices changes of other devices in the directory.
extension ReplicatedDirectory: ChangeMonitored {
    var monitoredPlaces: [ChangeMonitor.Place] { [.init(directory: files.directory, names: nil)] }

    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        if case .changed(let name) = event { ReplicaFileName.isPossible(name) } else { true }
    }

    /// Reads the directory, and schedules an export if the replica's files lack something.
    func poll() throws -> Bool {
        let hasComeBack = monitor.isFailing
        try read()
        // Failed exports are repeated at growing intervals, unless the directory has just become available again.
        guard hasComeBack || !isExportRetried else { return true }
        switch ownFiles.need {
        case .nothing: break
        case .heardMoments: scheduleLaterExport()
        case .changes: scheduleExport(isOthers: !hasComeBack)
        }
        return true
    }

    /// Whether no file has changed and nothing is due. Waits only for the directory, which is on a local disk when this is
    /// called.
    var isQuiet: Bool {
        !oldRemovals.isExaminationDue && !state.mustVouch && (ownFiles.need == .nothing || isExportRetried)
            && files.isUnchanged
    }

    /// Diagnoses that the directory cannot be read.
    func reportFailedPoll(_ error: any Error) { state.reportNotExported(error) }
}

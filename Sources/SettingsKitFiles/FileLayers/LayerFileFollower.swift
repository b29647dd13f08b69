import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Reads the files of a layer, and reads them again when they change.
///
/// Files that are replaced are read at once. An edit in place looks like a half-written file, so it is read when the file has
/// stayed the same for a moment. If files change while they are read, they are read again.
final class LayerFileFollower: ChangeMonitored {
    private struct Progress {
        /// The state of the files that were read last; nil if they could not be read.
        var read: LayerFilesState?
        /// The state after an edit in place, which must stay the same.
        var edited: LayerFilesState?
        /// The last error, which is reported once.
        var problem: String?
        var places: [ChangeMonitor.Place] = []
    }

    private enum Step { case nothing, wait, read }

    private let files: any LayerFiles
    private let receive: @Sendable (LayerTextReading) -> Void
    private let monitor = ChangeMonitor(interval: PropertyListTimings.pollInterval, queue: BackgroundQueue())
    private let progress = Mutex(Progress(), .leaf)

    /// Reads files, and begins to follow them.
    ///
    /// - Parameter isRequired: Whether an error is thrown, and not received.
    init(
        _ files: any LayerFiles, isRequired: Bool, _ receive: @escaping @Sendable (LayerTextReading) -> Void
    ) throws(SettingsError) {
        (self.files, self.receive) = (files, receive)
        monitor.monitor(self)
        let (state, reading) = read()
        if isRequired, case .failure(let error) = reading {
            throw SettingsError(.requiredFile, store: error.store, underlying: error.underlying)
        }
        take(reading, state)
        progress.withLock { $0.places = files.places }
        monitor.start(after: PropertyListTimings.watchingDelay)
    }

    /// Reads the files in one state.
    ///
    /// - Returns: The state; nil if it is unknown.
    private func read() -> (LayerFilesState?, Result<any LayerText, SettingsError>) {
        for _ in 0..<FileLayerLimits.readingAttempts {
            let state = files.state()
            let reading: Result<any LayerText, SettingsError>
            do throws(SettingsError) {
                reading = .success(try files.read())
            } catch {
                reading = .failure(error)
            }
            if files.state() == state { return (state, reading) }
        }
        let problem = SettingsFileProblem("The files keep changing")
        return (nil, .failure(SettingsError(.unreadableFile, underlying: problem)))
    }

    private func take(_ reading: Result<any LayerText, SettingsError>, _ state: LayerFilesState?) {
        switch reading {
        case .success(let text):
            progress.withLock { progress in
                (progress.read, progress.edited, progress.problem) = (state, nil, nil)
            }
            receive(.text(text))
        case .failure(let error):
            // An error of the system may go without a change of the files.
            let isPassing = state == nil || error.underlying is SystemError
            let isNew = progress.withLock { progress in
                defer { progress.problem = error.description }
                (progress.read, progress.edited) = (isPassing ? nil : state, nil)
                return progress.problem != error.description
            }
            if isPassing { monitor.retry(after: FileLayerLimits.retryPause) }
            if isNew { receive(.failed(error)) }
        }
    }

    // MARK: ChangeMonitored

    var monitoredPlaces: [ChangeMonitor.Place] { files.places }

    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool { true }

    var isQuiet: Bool { progress.withLock { $0.read } == files.state() }

    func poll() -> Bool {
        let state = files.state()
        let step = progress.withLock { progress in
            if progress.read == state {
                progress.edited = nil
                return Step.nothing
            }
            if let read = progress.read, state.isEdited(since: read), progress.edited != state {
                progress.edited = state
                return .wait
            }
            return .read
        }
        switch step {
        case .nothing: break
        case .wait: monitor.retry(after: FileLayerLimits.settlingTime)
        case .read:
            let (state, reading) = read()
            take(reading, state)
        }
        followLinks()
        return true
    }

    /// Watches other directories if symbolic links lead there now.
    private func followLinks() {
        let places = files.places
        let isMoved = progress.withLock { progress in
            defer { progress.places = places }
            return progress.places != places
        }
        if isMoved { monitor.renewSoon() }
    }

    func reportFailedPoll(_ error: any Error) { preconditionFailure("Polling reports its own errors.") }
}

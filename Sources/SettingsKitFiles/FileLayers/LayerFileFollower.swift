import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Reads the files of a layer, and reads them again when they change. ``LayerFileProgress`` decides when.
final class LayerFileFollower: ChangeMonitored {
    private struct State {
        var progress = LayerFileProgress()
        /// When the times of the files that were read last are old.
        var aging = Deadline(after: .zero)
        /// The watched places; nil if they are not known yet.
        var places: [ChangeMonitor.Place]?
    }

    private let files: any LayerFiles
    private let receive: @Sendable (LayerTextReading) -> Void
    private let monitor = ChangeMonitor(interval: PropertyListTimings.pollInterval, queue: BackgroundQueue())
    private let state = Mutex(State(), .leaf)

    /// Reads files, and begins to follow them.
    ///
    /// - Parameter isRequired: Whether an error is thrown, and not received.
    init(
        _ files: any LayerFiles, isRequired: Bool, _ receive: @escaping @Sendable (LayerTextReading) -> Void
    ) throws(SettingsError) {
        (self.files, self.receive) = (files, receive)
        monitor.monitor(self)
        let (state, reading) = readSoon()
        if isRequired, case .failure(let error) = reading {
            throw SettingsError(.requiredFile, store: error.store, underlying: error.underlying)
        }
        take(reading, state)
        monitor.start(after: PropertyListTimings.watchingDelay)
    }

    /// Reads the files in one state.
    ///
    /// - Returns: The state; nil if they have changed meanwhile.
    private func read() -> (LayerFilesState?, Result<any LayerText, SettingsError>) {
        var state = LayerFilesState()
        do throws(SettingsError) {
            let text = try files.read(&state)
            if files.state() == state { return (state, .success(text)) }
        } catch {
            // Once more, in a known state.
            let before = files.state()
            var ignored = LayerFilesState()
            do throws(SettingsError) {
                let text = try files.read(&ignored)
                if files.state() == before { return (before, .success(text)) }
            } catch {
                if files.state() == before { return (before, .failure(error)) }
            }
        }
        let problem = SettingsFileProblem("The files keep changing")
        return (nil, .failure(SettingsError(.unreadableFile, store: files.path, underlying: problem)))
    }

    /// Reads the files in one state, at the latest after some attempts.
    private func readSoon() -> (LayerFilesState?, Result<any LayerText, SettingsError>) {
        var result = read()
        for _ in 0..<FileLayerLimits.readingAttempts where result.0 == nil {
            ThreadPause.sleep(for: FileLayerLimits.readingPause)
            result = read()
        }
        return result
    }

    private func take(_ reading: Result<any LayerText, SettingsError>, _ read: LayerFilesState?) {
        switch reading {
        case .success(let text):
            let mustReread = state.withLock { state in
                state.aging = Deadline(after: FileLayerLimits.racyTime)
                return state.progress.record(read)
            }
            if mustReread { monitor.poll(after: FileLayerLimits.racyTime + FileLayerLimits.settlingTime) }
            receive(.text(text))
        case .failure(let error):
            // An error of the system may go without a change of the files.
            let isPassing = read == nil || error.underlying is SystemError
            let isNew = state.withLock { $0.progress.record(error.description, in: isPassing ? nil : read) }
            if isPassing { monitor.retry(after: FileLayerLimits.retryPause) }
            if isNew { receive(.failed(error)) }
        }
    }

    // MARK: ChangeMonitored

    var monitoredPlaces: [ChangeMonitor.Place] { files.places }

    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool { true }

    var isQuiet: Bool { state.withLock { $0.progress.read } == files.state() }

    func poll() -> Bool {
        let found = files.state()
        let step = state.withLock { $0.progress.step(for: found, isOld: $0.aging.hasPassed) }
        switch step {
        case .nothing: break
        case .wait: monitor.retry(after: FileLayerLimits.settlingTime)
        case .read, .readSoon:
            let (read, reading) = step == .read ? read() : readSoon()
            if read == nil { monitor.retry(after: FileLayerLimits.settlingTime) } else { take(reading, read) }
        }
        followLinks()
        return true
    }

    /// Watches other directories if symbolic links lead there now.
    private func followLinks() {
        let places = files.places
        let isMoved = state.withLock { state in
            defer { state.places = places }
            return state.places.map { $0 != places } ?? false
        }
        if isMoved { monitor.renewSoon() }
    }

    func reportFailedPoll(_ error: any Error) { preconditionFailure("Polling reports its own errors.") }
}

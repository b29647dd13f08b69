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
        var (state, reading) = read()
        for _ in 0..<FileLayerLimits.readingAttempts where state == nil {
            ThreadPause.sleep(for: FileLayerLimits.readingPause)
            (state, reading) = read()
        }
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
        let state = files.state()
        let text: Result<any LayerText, SettingsError>
        do throws(SettingsError) {
            text = .success(try files.read())
        } catch {
            text = .failure(error)
        }
        if files.state() == state { return (state, text) }
        let problem = SettingsFileProblem("The files keep changing")
        return (nil, .failure(SettingsError(.unreadableFile, store: files.path, underlying: problem)))
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
        switch state.withLock({ $0.progress.step(for: found, isOld: $0.aging.hasPassed) }) {
        case .nothing: break
        case .wait: monitor.retry(after: FileLayerLimits.settlingTime)
        case .read:
            let (read, reading) = read()
            if read == nil { monitor.retry(after: FileLayerLimits.settlingTime) } else { take(reading, read) }
        }
        // Symbolic links may lead to other directories now.
        let places = files.places
        let isMoved = state.withLock { state in
            defer { state.places = places }
            return state.places.map { $0 != places } ?? false
        }
        if isMoved { monitor.renewSoon() }
        return true
    }

    func reportFailedPoll(_ error: any Error) { preconditionFailure("Polling reports its own errors.") }
}

/// The limits and times of layers that are files. The files are written by people and their tools.
enum FileLayerLimits {
    /// The size of the largest file with all settings, in bytes. Reading it takes up to thirty times as much memory.
    static let fileSize = 4 << 20
    /// The size of the largest file with one value.
    static let valueSize = 1 << 20
    /// The number of files in a directory.
    static let directoryFiles = 1_000
    /// The number of attempts to read files that change meanwhile.
    static let readingAttempts = 20
    /// The time for which changed files must stay the same before they are read, and the number of times that this is waited for.
    static let settlingTime = Duration.milliseconds(50)
    static let settlingAttempts = 10
    /// The pause between attempts to read files that change meanwhile, when a layer is made.
    static let readingPause = Duration.milliseconds(5)
    /// The age at which the times of files show every change: some file systems count in steps of a second or two.
    static let racyTime = Duration.seconds(2)
    /// The pause before another attempt after an error of the system.
    static let retryPause = Duration.seconds(1)
}

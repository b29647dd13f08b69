import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Brings the property list up to date with its journal: in the background when that is due, at once on request, and when the last
/// store over the list is released or the process exits.
///
/// Its lock is held by the thread that folds, and taken before those of ``PropertyListFiles``. No listener runs inside it.
final class PropertyListFolder: Sendable {
    private struct State {
        /// Determines when the background folds.
        var pace = FoldingPace()
        /// Whether temporary files of dead processes were removed.
        var hasCleanedUp = false
    }

    private let files: PropertyListFiles
    private let setup: PropertyListSetup
    private let state = Mutex(State(), .folding)
    /// The longest time that a change may be missing from the property list, in nanoseconds. The greatest number for a time in
    /// proportion to the file's size.
    private let shortestLag = Atomic(Int64.max)
    private let background: WriteBehind

    init(_ files: PropertyListFiles, _ setup: PropertyListSetup) {
        self.files = files
        self.setup = setup
        background = WriteBehind(delay: min(setup.writingDelay, setup.lag ?? setup.writingDelay))
        shorten(lag: setup.lag)
    }

    /// Begins to fold in the background.
    ///
    /// - Parameter finish: Called when the process exits.
    func begin(atExit finish: @escaping @Sendable () throws -> Void) {
        background.begin { [weak self] in
            try self?.foldIfDue()
        } writeAtExit: {
            try finish()
        } report: { [feed = files.contents.feed, description = setup.description] error in
            feed.report(.wrap(error, as: .notSaved, store: description))
        }
    }

    deinit {
        do {
            // The exit waits no longer than a set would: the journal contains the changes that the property list lacks.
            try LastWriting.perform { () throws(SettingsError) in
                try fold(waiting: files.patience, isInBackground: true)
            }
        } catch {
            files.contents.feed.report(error)
        }
    }

    /// Shortens the lag to that of another store.
    func shorten(lag: Duration?) {
        if let lag { shortestLag.min(lag.countedNanoseconds, ordering: .relaxed) }
    }

    /// Schedules a look at the journal, which folds it if that is due.
    ///
    /// - Parameter delay: An additional delay, for example for another process, which will probably fold first.
    func schedule(after delay: Duration = .zero) { background.schedule(after: delay) }

    /// Reads changes of the files into memory, publishes them, and schedules folding them.
    ///
    /// - Throws: as ``PropertyListFiles/refresh(waiting:)`` does.
    func refresh(waiting: Duration) throws {
        if try files.refresh(waiting: waiting) { schedule(after: PropertyListTimings.othersDelay) }
    }

    /// Folds if that is due, unless another program is writing the property list.
    private func foldIfDue() throws {
        guard let due = files.withLock({ $0.follower.foldingState }) else { return }
        let lag = shortestLag.load(ordering: .relaxed)
        let wait: Duration? =
            state.withLockIfAvailable { state in
                state.pace.lag = lag == .max ? nil : .nanoseconds(lag)
                return state.pace.wait(for: due, now: .now)
            }
            // Another thread folds. The background does not wait for it.
            ?? PropertyListTimings.othersDelay
        if let wait { return schedule(after: wait) }
        let start = (ContinuousClock.now, ProcessorTime.ofThread)
        // A failed run is repeated after a separate pause.
        try foldNow()
        let (now, processor) = (ContinuousClock.now, ProcessorTime.ofThread)
        state.withLock { $0.pace.didFold(at: now, elapsed: now - start.0, processor: processor - start.1) }
        if isSuspicious { schedule(after: PropertyListTimings.othersDelay) }
    }

    /// Folds, unless another program is writing the property list.
    func foldNow() throws {
        guard files.withLock({ $0.follower.isWriting }) else { return }
        try refresh(waiting: files.patience)
        if !isSuspicious { try fold(waiting: files.patience, isInBackground: true) }
    }

    private var isSuspicious: Bool { files.withLock { $0.follower.list.suspicion != nil } }

    /// Brings the property list up to date, and returns when it survives a power failure. Does nothing in a process that
    /// only reads.
    ///
    /// - Parameter isInBackground: Whether a power failure may undo it, as long as it leaves the files in an earlier state.
    func fold(waiting: Duration, isInBackground: Bool = false) throws(SettingsError) {
        guard files.withLock({ $0.follower.isWriting }) else { return }
        // Listeners may also fold, or wait for a thread that does.
        defer { files.deliver() }
        do {
            try state.withLock { state in
                let run = Folding(files: files, setup: setup, waiting: waiting, isInBackground: isInBackground)
                try run.publish()
                // After the store's first write.
                if !state.hasCleanedUp { state.hasCleanedUp = run.removeTemporaries() }
            }
        } catch {
            throw .wrap(error, as: .notSaved, store: setup.description)
        }
    }
}

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that keeps writes in memory while another process has it locked.
///
/// A change that nothing waits for is made at once, if there are no pending writes, or if those can be stored first:
///
/// ```swift
/// do {
///     try storePending(waiting: .zero)
///     try change(waiting: pending.waiting(patience))
/// } catch SettingsError.Code.busy {
///     try keep(writes)
/// }
/// ```
///
/// A change that depends on stored values follows what is pending, also what becomes pending while it waits, or fails with `busy`:
/// ``storingPending(waiting:_:)``. Reading takes ``pending`` first.
package protocol DeferringStore: AnyObject, Sendable {
    var pending: PendingWrites { get }
    /// The name of the store in messages.
    var description: String { get }
    /// The reason why writes are pending.
    var hindrance: any Error { get }

    /// Returns the stored bytes under a name.
    func storedData(named name: String) -> Data?

    /// Requires that the store could store some writes beside the pending ones.
    ///
    /// - Throws: The reason if it could not, because there is no room for example.
    func requireRoom(for writes: [SettingsStoreBatch.Entry]) throws

    /// Stores writes as one change. Those that would change nothing are left out.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for other processes.
    ///   - writes: Returns the writes. Called while no other thread can store pending writes.
    /// - Throws: `busy` if another process has the store locked.
    func store(waiting: Duration, _ writes: @Sendable () -> [SettingsStoreBatch.Entry]) throws

    /// Returns what becomes of pending writes when storing them has failed with an error other than `busy`.
    func fate(after error: SettingsError) -> PendingWrites.Fate
}

extension PendingWrites {
    /// What becomes of writes that could not be stored.
    package enum Fate {
        /// They stay pending.
        case kept
        /// The store refuses one of them for its content. Each is stored by itself, and those that are refused are given up.
        case refused
        /// They are given up, because the store is gone.
        case lost
    }
}

extension SettingsStoreBatch {
    /// Whether the batch may be stored later: its caller does not wait, and it depends on no stored value.
    package var isDeferrable: Bool { !options.waitsForAgreement && expectations.isEmpty }
}

extension DeferringStore {
    package func fate(after error: SettingsError) -> PendingWrites.Fate { error.isOfStore ? .kept : .refused }

    /// The value in force under a name.
    package func data(named name: String) -> Data? { pending.data(named: name) { storedData(named: name) } }

    /// Applies a batch, after the pending writes are stored. If another process has the store locked, a batch without expectations
    /// whose caller does not wait is kept.
    ///
    /// - Parameters:
    ///   - patience: How long a batch that is not kept waits for other processes.
    ///   - apply: Applies the batch, and waits no longer than its first parameter. Calls the second one while nothing else can change
    ///     the store.
    package func applyOrKeep(
        _ batch: SettingsStoreBatch, patience: Duration,
        _ apply: (_ waiting: Duration, _ requirement: @Sendable () throws -> Void) throws -> Bool
    ) throws -> Bool {
        guard batch.isDeferrable else {
            return try storingPending(waiting: patience) { try apply(patience, pending.requireNone) }
        }
        do {
            try storePending(waiting: .zero)
            return try apply(pending.waiting(patience)) {}
        } catch SettingsError.Code.busy {
            try keep(batch.writes)
            return true
        }
    }

    /// Puts writes in force that cannot be stored now, reports each name once, and stores them in the background.
    package func keep(_ writes: [SettingsStoreBatch.Entry]) throws {
        try requireRoom(for: writes)
        _ = pending.keep(writes, over: storedData, in: description, because: hindrance)
        // Another thread may have stored them before they were reported.
        pending.reportRecovery(in: description)
        // The store stays open until nothing is pending.
        pending.attempt(for: description) { [self] in try storePending(waiting: .zero) }
    }

    /// Stores the pending writes, if there are any. The child of a fork gives up those of its parent, which stores them.
    ///
    /// - Throws: `busy` if another process has the store locked; the errors of storing.
    package func storePending(waiting: Duration) throws {
        if pending.isEmpty { return }
        defer { pending.feed.flush() }
        if pending.dropInherited() { return }
        do {
            try storePending(waiting)
        } catch {
            switch fate(after: error) {
            case .kept: throw error
            case .lost:
                pending.end(pending.select(), origin: .local)
                pending.feed.report(error)
            case .refused: try storeSingly(waiting)
            }
        }
        pending.reportRecovery(in: description)
    }

    /// Makes a change that must follow what is pending.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for other processes, to store what is pending.
    ///   - change: Calls ``PendingWrites/requireNone()`` while nothing else can change the store. Repeated when that throws.
    package func storingPending<R>(waiting: Duration, _ change: () throws -> R) throws -> R {
        while true {
            try storePending(waiting: waiting)
            do {
                return try change()
            } catch is PendingWrites.Present {}
        }
    }

    private func storePending(
        _ waiting: Duration, from selection: PendingWrites.Selection? = nil
    ) throws(SettingsError) {
        let selected = Mutex(PendingWrites.Selection(), .leaf)
        do {
            try store(waiting: waiting) {
                pending.markStoredByOthers()
                let selection = pending.select(from: selection)
                selected.withLock { $0 = selection }
                return selection.entries
            }
        } catch {
            throw .wrap(error, as: .notSaved, store: description)
        }
        pending.end(selected.withLock { $0 }, origin: .external)
    }

    private func storeSingly(_ waiting: Duration) throws {
        for write in pending.select().single {
            do throws(SettingsError) {
                try storePending(waiting, from: write)
            } catch {
                if fate(after: error) == .kept { throw error }
                pending.end(write, origin: .local)
                pending.feed.report(error.completed(key: write.entries.first?.key, store: description))
            }
        }
    }
}

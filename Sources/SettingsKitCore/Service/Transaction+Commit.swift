#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that a thread writes in other transactions while it runs a transaction's closure again.
///
/// If the closure has read one of them, no number of runs would help.
private final class InnerWrites {
    /// Those of the innermost closure.
    private static let ofThread = ThreadObject<InnerWrites>()
    private var keys: Set<SettingsService.StorageKey> = []

    /// Runs a closure, and records in `inner` what the thread writes meanwhile.
    static func record<R, E: Error>(in inner: InnerWrites?, _ body: () throws(E) -> R) throws(E) -> R {
        guard let inner else { return try body() }
        return try ofThread.replaced(by: inner, while: body)
    }

    /// Records what a transaction of this thread has written, if it was inside a closure.
    static func add(_ transaction: SettingsService.Transaction) {
        ofThread.current?.keys.formUnion(transaction.writtenEntries.map(\.key))
    }

    /// Returns a key that was written, and that a transaction has read.
    func firstKey(readBy transaction: SettingsService.Transaction) -> SettingsService.StorageKey? {
        keys.isEmpty ? nil : transaction.entries.first { $0.expected != nil && keys.contains($0.key) }?.key
    }
}

/// Applying a transaction.
extension SettingsService.Transaction {
    /// Runs a closure, and runs it again if a value that it has read changes before it is applied, or changed while it was read.
    ///
    /// - Parameters:
    ///   - first: The transaction that the closure receives each time.
    ///   - limit: The maximum number of runs. Each time, another writer makes progress, so this many failures mean a store that
    ///     never gives the same answer twice.
    ///   - commit: Applies the transaction. Returns false for another run.
    /// - Returns: The result of the run that was applied, or the error that kept it from being applied.
    /// - Throws: The error of the closure, unless values of several moments may have caused it.
    static func run<R, E: Error>(
        _ first: Self, limit: Int = CoreLimits.transactionAttempts, _ body: (inout Self) throws(E) -> R,
        commit: (Self) throws(SettingsError) -> Bool = { transaction throws(SettingsError) in try transaction.commit() }
    ) throws(E) -> (result: R, error: SettingsError?) {
        var attempt = 0
        while true {
            attempt += 1
            var transaction = first
            HeldLocks.requireNone(before: "a transaction's closure")
            // A first run needs no record. It would take longer.
            let inner = attempt > 1 ? InnerWrites() : nil
            let result: R
            do throws(E) {
                result = try InnerWrites.record(in: inner) { () throws(E) -> R in try body(&transaction) }
            } catch {
                if attempt < limit, transaction.hasReadSeveralMoments { continue }
                throw error
            }
            do throws(SettingsError) {
                if try commit(transaction) {
                    InnerWrites.add(transaction)
                    return (result, nil)
                }
                if let key = inner?.firstKey(readBy: transaction) {
                    throw SettingsError(.conflict, key: key, underlying: ClosureChangesWhatItReads())
                }
                if attempt == limit { throw SettingsError(.conflict) }
            } catch {
                return (result, error)
            }
        }
    }

    /// Applies the transaction: store by store, each all or nothing, in the order of the scopes.
    ///
    /// - Returns: false, with nothing changed, if a value that was read has changed since.
    func commit() throws(SettingsError) -> Bool {
        if let error { throw error }
        try requireOpenForReads()
        if !entries.contains(where: { $0.written != nil }) { return try hasReadOneMoment() }
        // Otherwise, the transaction might be written in part.
        if isOverSeveralScopes { for entry in entries { try entry.connection.sources?.requireOpen() } }
        // A set nil may be stored as nothing. Only a reset is no value.
        if let refusal, writtenEntries.contains(where: { $0.written?.data != nil || $0.value != nil }) {
            throw refusal
        }
        let hooks = hooks
        hooks.callBefore()
        var sets: [(connection: Connection, sets: [SetValue])] = []
        defer { for (connection, sets) in sets { connection.endWriting(sets) } }
        for entry in entries {
            guard let value = entry.value, let slot = entry.slot, slot.keepsSetValues, let data = entry.written?.data
            else { continue }
            sets.append((slot.connection, [SetValue(value, as: data, in: slot)]))
            _ = try slot.connection.beginWriting(sets[sets.count - 1].sets, entry.key)
        }
        guard try hasSameLayers(), try apply(parts()) else { return false }
        hooks.callAfter()
        return true
    }

    /// Returns whether the layers beside the writable ones hold what was read, in the stores that were read.
    private func hasSameLayers() throws(SettingsError) -> Bool {
        for entry in entries {
            guard let (row, sources) = entry.expected else { continue }
            if entry.connection.sources !== sources { return false }
            if sources.isLayered, try !sources.read(entry.key).isSame(as: row) { return false }
        }
        return true
    }

    private var isOverSeveralScopes: Bool {
        entries.contains { $0.connection !== entries[0].connection }
    }

    // MARK: Parts

    /// The writes and the expectations of one store.
    private struct Part {
        let sources: Sources
        /// The first of its keys, with the scope that an error names.
        let key: SettingsService.StorageKey
        /// Whether it removes what a migration has moved to another store.
        let isRemoval: Bool
        var batch: SettingsStoreBatch
    }

    /// Applies the parts, one after the other.
    ///
    /// - Returns: false, with nothing changed, if an expectation did not hold.
    /// - Throws: The error of a part. The parts before it are stored.
    private func apply(_ parts: [Part]) throws(SettingsError) -> Bool {
        if parts.count == 1 { return try parts[0].sources.apply(parts[0].batch) }
        // Asked first, because what is stored in one store stays if another one refuses its part.
        for part in parts {
            let question = SettingsStoreBatch(
                writes: [], expectations: part.batch.expectations, options: .ofQuestion)
            if try !part.sources.holds(question) { return false }
        }
        let written = parts.filter { !$0.batch.writes.isEmpty }
        for (number, part) in written.enumerated() {
            do throws(SettingsError) {
                if try part.sources.apply(part.batch) {
                    // A migration's version must not survive a power failure that its other writes do not survive.
                    if ledger != nil, number < written.count - 1 { try part.sources.synchronize() }
                } else if part.isRemoval {
                    // Another process has removed it, or has set another value, which the next migration finds.
                    continue
                } else if number == 0 || ledger != nil {
                    // A migration across several stores can be run again.
                    return false
                } else {
                    throw SettingsError(.conflict)
                }
            } catch {
                throw error.completed(key: part.key, store: part.sources.description)
            }
        }
        return true
    }

    /// Returns the parts in the order in which they are applied: that of the scopes, with the ledger's store last, and after it the
    /// removals of values that a migration has moved to another store.
    ///
    /// - Throws: `locked`, before anything is stored.
    private func parts() throws(SettingsError) -> [Part] {
        var parts: [Part] = []
        try add(ordered(entries.filter { !$0.isRemovedLast }), to: &parts)
        if parts.count > 1 {
            parts.sort { $0.key.scope.order < $1.key.scope.order }
            if let ledger, let place = parts.firstIndex(where: { $0.batch.writes.contains { $0.key == ledger } }) {
                parts.append(parts.remove(at: place))
            }
        }
        var removals: [Part] = []
        try add(entries.filter(\.isRemovedLast), to: &removals)
        return parts + removals
    }

    /// Adds entries to the parts of their stores. One store may serve several scopes.
    private func add(_ entries: [Entry], to parts: inout [Part]) throws(SettingsError) {
        for entry in entries {
            let sources = try entry.connection.requireSources(for: entry.key)
            let part: Int
            if let known = parts.firstIndex(where: { $0.sources.isSame(as: sources) }) {
                part = known
            } else {
                part = parts.count
                let batch = SettingsStoreBatch(writes: [], options: options)
                parts.append(
                    Part(sources: sources, key: entry.key, isRemoval: entry.isRemovedLast, batch: batch))
                // Changes that an unopened store keeps have read nothing: the old values that hooks receive are in memory.
                parts[part].batch.options.isKept = options.isKept && !sources.isOpen
                parts[part].batch.writes.reserveCapacity(entries.count)
                parts[part].batch.expectations.reserveCapacity(entries.count)
            }
            if !parts[part].batch.options.isKept, let expected = entry.expected {
                parts[part].batch.expectations.append(
                    .init(key: entry.key, data: expected.row[expected.sources.writable]?.content.data))
            }
            guard let written = entry.written else { continue }
            parts[part].batch.writes.append(written)
            if sources.isLayered, let lock = try lock(of: entry, in: sources) { throw lock.error(of: entry.key) }
        }
    }

    private func lock(of entry: Entry, in sources: Sources) throws(SettingsError) -> SettingsService.Lock? {
        if let slot = entry.slot { return slot.read()?.lock }
        return sources.lock(try sources.read(entry.key), nil)
    }

    /// Asks whether all values that were read in a store were stored at one moment: during the call, if the store agrees with other
    /// machines.
    ///
    /// For other stores, a single value needs no question.
    private func hasReadOneMoment() throws(SettingsError) -> Bool {
        if try !hasSameLayers() { return false }
        var questions: [(sources: Sources, batch: SettingsStoreBatch)] = []
        for entry in entries {
            guard let (row, sources) = entry.expected else { continue }
            let expectation = SettingsStoreBatch.Entry(key: entry.key, data: row[sources.writable]?.content.data)
            if let index = questions.firstIndex(where: { $0.sources.isSame(as: sources) }) {
                questions[index].batch.expectations.append(expectation)
            } else {
                let waits = options.waitsForAgreement && confirmsReads && sources.feed.agreesWithOthers
                questions.append(
                    (sources, .init(writes: [], expectations: [expectation], options: waits ? .ofSave : .ofQuestion)))
            }
        }
        for (sources, question) in questions {
            if question.options.waitsForAgreement {
                if try !sources.apply(question) { return false }
            } else if question.expectations.count > 1, try !sources.holds(question) {
                return false
            }
        }
        return true
    }

    /// Whether the closure may have failed because it has read values of several moments.
    var hasReadSeveralMoments: Bool {
        if error != nil { return false }
        do throws(SettingsError) {
            return try !hasReadOneMoment()
        } catch {
            return false
        }
    }

    /// Throws if a value was read in a store that is not open yet.
    private func requireOpenForReads() throws(SettingsError) {
        for entry in entries where entry.isRead {
            try entry.connection.sources?.requireOpen(toCalculateFrom: entry.key)
        }
    }

    /// Returns entries in the order in which they are written: removals after the others and the ledger last, because a store of two
    /// functions makes the writes one by one, and the process may die in between.
    private func ordered(_ entries: [Entry]) -> [Entry] {
        guard ledger != nil || entries.contains(where: \.isRemoved) else { return entries }
        return entries.filter { !$0.isRemoved && $0.key != ledger } + entries.filter(\.isRemoved)
            + entries.filter { $0.key == ledger }
    }
}

extension SettingsService.Scope {
    /// The place of the scope among those of a transaction over several stores.
    fileprivate var order: (Int, String) {
        switch self {
        case .defaults: (0, "")
        case .shared: (1, "")
        case .custom(let id): (2, id)
        }
    }
}

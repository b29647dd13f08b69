#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
            transaction.attempt = attempt
            HeldLocks.requireNone(before: "a transaction's closure")
            let result: R
            do throws(E) {
                result = try body(&transaction)
            } catch {
                if attempt < limit, transaction.hasReadSeveralMoments { continue }
                throw error
            }
            do throws(SettingsError) {
                if try commit(transaction) { return (result, nil) }
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
        if !entries.indices.contains(where: { entries[$0].written != nil }) { return try hasReadOneMoment() }
        // Otherwise, the transaction might be written in part.
        if isOverSeveralScopes { for entry in entries { try entry.connection.store?.requireOpen() } }
        // A set nil may be stored as nothing. Only a reset is no value.
        if let refusal, writtenEntries.contains(where: { $0.written?.data != nil || $0.value != nil }) {
            throw refusal
        }
        let hooks = hooks
        hooks.callBefore()
        var pending: [(connection: ScopeConnection, value: SetValue, setting: any CachedSetting)] = []
        defer { for set in pending { set.connection.didCommit(set.value, of: set.setting) } }
        for index in entries.indices {
            guard let value = entries[index].value, let setting = entries[index].setting else { continue }
            let connection = entries[index].connection
            let (_, set) = try connection.willCommit(
                value, as: entries[index].written?.data, of: setting, key: entries[index].key)
            if let set { pending.append((connection, set, setting)) }
        }
        guard try apply(parts()) else { return false }
        hooks.callAfter()
        return true
    }

    private var isOverSeveralScopes: Bool {
        entries.indices.contains { entries[$0].connection !== entries[0].connection }
    }

    // MARK: Parts

    /// The writes and the expectations of one store.
    private struct Part {
        let store: ConnectedStore
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
        if parts.count == 1 { return try parts[0].store.apply(parts[0].batch) }
        // Asked first, because what is stored in one store stays if another one refuses its part.
        for part in parts {
            let question = SettingsStoreBatch(
                writes: [], expectations: part.batch.expectations, options: .ofQuestion)
            if try !part.store.holds(question) { return false }
        }
        let written = parts.filter { !$0.batch.writes.isEmpty }
        for (number, part) in written.enumerated() {
            do throws(SettingsError) {
                if try part.store.apply(part.batch) {
                    // A migration's version must not survive a power failure that its other writes do not survive.
                    if ledger != nil, number < written.count - 1 { try part.store.synchronize() }
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
                throw error.completed(key: part.key, store: part.store.description)
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
        try add(places { !entries[$0].isRemovedLast }, to: &parts)
        if parts.count > 1 {
            parts.sort { $0.key.scope.order < $1.key.scope.order }
            if let ledger, let place = parts.firstIndex(where: { $0.batch.writes.contains { $0.key == ledger } }) {
                parts.append(parts.remove(at: place))
            }
        }
        var removals: [Part] = []
        try add(entries.indices.filter { entries[$0].isRemovedLast }, to: &removals)
        return parts + removals
    }

    /// Adds entries to the parts of their stores. One store may serve several scopes.
    private func add(_ places: [Int], to parts: inout [Part]) throws(SettingsError) {
        for index in places {
            let key = entries[index].key
            let store = try entries[index].connection.requireStore(for: key)
            let part: Int
            if let known = parts.firstIndex(where: { $0.store.isSame(as: store) }) {
                part = known
            } else {
                part = parts.count
                let isRemoval = entries[index].isRemovedLast
                parts.append(
                    Part(store: store, key: key, isRemoval: isRemoval, batch: .init(writes: [], options: options)))
                // Changes that an unopened store keeps have read nothing: the old values that hooks receive are in memory.
                parts[part].batch.options.isKept = options.isKept && !store.isOpen
                parts[part].batch.writes.reserveCapacity(places.count)
                parts[part].batch.expectations.reserveCapacity(places.count)
            }
            if !parts[part].batch.options.isKept, let expected = entries[index].expected {
                parts[part].batch.expectations.append(expected.entry(for: key))
            }
            guard let written = entries[index].written else { continue }
            parts[part].batch.writes.append(written)
            if store.isLayered {
                parts[part].batch.options.disregardedLocks[key.name] = try disregardedLocks(
                    of: entries[index], in: store)
            }
        }
    }

    /// Asks whether all values that were read in a store were stored at one moment: during the call, if the store agrees with other
    /// machines.
    ///
    /// For other stores, a single value needs no question.
    private func hasReadOneMoment() throws(SettingsError) -> Bool {
        var questions: [(store: ConnectedStore, batch: SettingsStoreBatch)] = []
        for entry in entries {
            guard let expected = entry.expected, let store = entry.connection.store else { continue }
            let entry = expected.entry(for: entry.key)
            if let index = questions.firstIndex(where: { $0.store.isSame(as: store) }) {
                questions[index].batch.expectations.append(entry)
            } else {
                let waits = options.waitsForAgreement && confirmsReads && store.feed.agreesWithOthers
                questions.append(
                    (store, .init(writes: [], expectations: [entry], options: waits ? .ofSave : .ofQuestion)))
            }
        }
        for (store, question) in questions {
            if question.options.waitsForAgreement {
                if try !store.apply(question) { return false }
            } else if question.expectations.count > 1,
                try !store.holds(question, isDoubted: attempt > Self.attemptsWithoutDoubt)
            {
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

    /// The number of times that a store may answer that values are of several moments before they are read again to check it. A
    /// store may not support a batch that only asks.
    private static var attemptsWithoutDoubt: Int { 100 }

    /// Throws if a value was read in a store that is not open yet.
    private func requireOpenForReads() throws(SettingsError) {
        for index in entries.indices where entries[index].isRead {
            try entries[index].connection.store?.requireOpen(toCalculateFrom: entries[index].key)
        }
    }

    /// Returns the places of some entries: removals after the others and the ledger last, because a store of two functions makes the
    /// writes one by one, and the process may die in between.
    private func places(where isIncluded: (Int) -> Bool) -> [Int] {
        let places = entries.indices.filter(isIncluded)
        guard ledger != nil || places.contains(where: { entries[$0].isRemoved }) else { return places }
        func isLedger(_ place: Int) -> Bool { entries[place].key == ledger }
        return places.filter { !entries[$0].isRemoved && !isLedger($0) } + places.filter { entries[$0].isRemoved }
            + places.filter(isLedger)
    }

    /// Returns the locks of a key that its setting rejects.
    ///
    /// - Throws: `locked`, if the setting accepts one, or if it is not known which setting has the key.
    private func disregardedLocks(
        of entry: Entry, in store: ConnectedStore
    ) throws(SettingsError) -> [SettingsStoreCandidate] {
        guard store.isLayered else { return [] }
        if let setting = entry.setting {
            return try service.disregardedLocks(of: setting, key: entry.key, in: store)
        }
        if let lock = try store.read(entry.key).all.first(where: \.isLocking) {
            throw store.locked(entry.key, by: lock)
        }
        return []
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

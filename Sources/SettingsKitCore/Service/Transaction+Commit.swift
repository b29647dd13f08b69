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

    /// Applies the transaction.
    ///
    /// - Returns: false, with nothing changed, if a value that was read has changed since.
    func commit() throws(SettingsError) -> Bool {
        try commit { stores throws(SettingsError) in try carryOut(stores) }
    }

    /// Applies the transaction so that it is completed even if the process dies in the middle of it.
    ///
    /// - Returns: false, with nothing changed, if a value that was read has changed since.
    func commit(across intents: MigrationIntents) throws(SettingsError) -> Bool {
        try commit { _ throws(SettingsError) in
            let written = places { entries[$0].written != nil }.map { entries[$0] }
            var intents = intents
            // Checked before anything is recorded: no process can complete a write to a locked setting.
            for entry in written {
                let store = try entry.connection.requireStore(for: entry.key)
                intents.disregardedLocks[entry.key] = try disregardedLocks(of: entry, in: store)
            }
            return try intents.carryOut(
                written.compactMap(\.written),
                expecting: entries.compactMap { entry in entry.expected?.entry(for: entry.key) })
        }
    }

    private func commit(
        by carryOut: ([ScopeConnection]) throws(SettingsError) -> Bool
    ) throws(SettingsError) -> Bool {
        if let error { throw error }
        try requireOpenForReads()
        if !entries.indices.contains(where: { entries[$0].written != nil }) { return try hasReadOneMoment() }
        let connections = connectionsToCommit
        // Otherwise, the transaction might be written in part.
        if connections.count > 1 { for connection in connections { try connection.store?.requireOpen() } }
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
        guard try carryOut(connections) else { return false }
        hooks.callAfter()
        return true
    }

    private func carryOut(_ connections: [ScopeConnection]) throws(SettingsError) -> Bool {
        var done: [Undoing] = []
        for connection in connections {
            do throws(SettingsError) {
                guard let undoing = try commit(in: connection, isUndoable: connections.count > 1) else {
                    revert(done)
                    return false
                }
                done.append(undoing)
            } catch {
                revert(done)
                throw error
            }
        }
        return true
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
                let waits = options.waitsForAgreement && confirmsReads && store.store.agreesWithOthers
                questions.append(
                    (store, .init(writes: [], expectations: [entry], options: .init(waitsForAgreement: waits))))
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

    /// Returns the places of some entries: removals last, because a store of two functions makes the writes one by one, and the
    /// process may die in between.
    private func places(where isIncluded: (Int) -> Bool) -> [Int] {
        let places = entries.indices.filter(isIncluded)
        guard places.contains(where: { entries[$0].isRemoved }) else { return places }
        return places.filter { !entries[$0].isRemoved } + places.filter { entries[$0].isRemoved }
    }

    /// The connections of the transaction's keys, of which there are few.
    private var connectionsToCommit: [ScopeConnection] {
        var connections: [ScopeConnection] = []
        for index in entries.indices {
            let connection = entries[index].connection
            if !connections.contains(where: { $0 === connection }) { connections.append(connection) }
        }
        return connections
    }

    /// A store that was written to, and the batches that undo it, one for each key.
    private typealias Undoing = (store: ConnectedStore, batches: [SettingsStoreBatch])

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

    /// Applies the part of the transaction that concerns one scope.
    ///
    /// - Returns: the batches that undo it; nil if an expectation did not hold.
    private func commit(in connection: ScopeConnection, isUndoable: Bool) throws(SettingsError) -> Undoing? {
        let places = places { entries[$0].connection === connection }
        let store = try connection.requireStore(for: entries[places[0]].key)
        var batch = SettingsStoreBatch(writes: [], options: options)
        // Changes that an unopened store keeps have read nothing: the old values that hooks receive are in memory.
        batch.options.isKept = options.isKept && !store.isOpen
        var undoing: Undoing = (store, [])
        batch.writes.reserveCapacity(places.count)
        batch.expectations.reserveCapacity(places.count)
        for index in places {
            if !batch.options.isKept, let expected = entries[index].expected {
                batch.expectations.append(expected.entry(for: entries[index].key))
            }
            guard let written = entries[index].written else { continue }
            batch.writes.append(written)
            if store.isLayered {
                batch.options.disregardedLocks[written.key.name] = try disregardedLocks(of: entries[index], in: store)
            }
        }
        if isUndoable {
            for write in batch.writes {
                let before = try store.read(write.key)
                // If that changes before the batch is applied, restoring it would undo another write.
                batch.expectations.append(before.entry(for: write.key))
                var undo = SettingsStoreBatch(writes: [.init(key: write.key, data: before.writableData)])
                undo.expectations = [before.replacingWritableData(by: write.data).entry(for: write.key)]
                undo.options.disregardedLocks = batch.options.disregardedLocks
                undoing.batches.append(undo)
            }
        }
        guard try store.apply(batch) else { return nil }
        return undoing
    }

    /// Restores the values that were changed in other scopes before one failed, unless they have changed again since.
    private func revert(_ done: [Undoing]) {
        for undoing in done.reversed() {
            for batch in undoing.batches {
                do throws(SettingsError) {
                    _ = try undoing.store.apply(batch)
                } catch {
                    service.connections.diagnostics.report(error)
                }
            }
        }
    }
}

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
            func entries(_ values: [SettingsService.StorageKey: Data?]) -> [SettingsStoreBatch.Entry] {
                values.map { .init(key: $0.key, data: $0.value) }
            }
            let expectations = expectations.map { $0.value.entry(for: $0.key) }
            // A store of two functions makes them in this order: removals come last.
            let writes = entries(writes.filter { $0.value != nil }) + entries(writes.filter { $0.value == nil })
            var intents = intents
            // Checked before anything is recorded: no process can complete a write to a locked setting.
            for write in writes {
                let store = try service.connection(for: write.key).requireStore(for: write.key)
                intents.disregardedLocks[write.key] = try disregardedLocks(of: write.key, in: store)
            }
            return try intents.carryOut(writes, expecting: expectations)
        }
    }

    private func commit(
        by carryOut: ([ConnectionKeys]) throws(SettingsError) -> Bool
    ) throws(SettingsError) -> Bool {
        if let error { throw error }
        try requireOpenForReads()
        if writes.isEmpty { return try hasReadOneMoment() }
        let stores = keysByConnection
        // Otherwise, the transaction might be written in part.
        if stores.count > 1 { for (connection, _) in stores { try connection.store?.requireOpen() } }
        // A set nil may be stored as nothing. Only a reset is no value.
        if let refusal, writes.contains(where: { $0.value != nil || values[$0.key] != nil }) { throw refusal }
        let hooks = hooks
        hooks.callBefore()
        var pending: [(connection: ScopeConnection, value: SetValue?, setting: any CachedSetting)] = []
        defer { for set in pending { set.connection.didCommit(set.value, of: set.setting) } }
        for (key, (setting, value)) in values {
            let connection = service.connection(for: key)
            let set = try connection.willCommit(value, as: writes[key] ?? nil, of: setting, key: key).pending
            pending.append((connection, set, setting))
        }
        guard try carryOut(stores) else { return false }
        hooks.callAfter()
        return true
    }

    private func carryOut(_ stores: [ConnectionKeys]) throws(SettingsError) -> Bool {
        var done: [Undoing] = []
        for (_, keys) in stores {
            do throws(SettingsError) {
                guard let undoing = try commit(keys, isUndoable: stores.count > 1) else {
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
        for (key, value) in expectations {
            guard let store = service.connection(for: key).store else { continue }
            let entry = value.entry(for: key)
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
        for key in readKeys { try service.connection(for: key).store?.requireOpen(toCalculateFrom: key) }
    }

    private typealias ConnectionKeys = (connection: ScopeConnection, keys: [SettingsService.StorageKey])

    /// The keys of the transaction, by the connections of their scopes, of which there are few.
    private var keysByConnection: [ConnectionKeys] {
        var stores: [ConnectionKeys] = []
        func add(_ key: SettingsService.StorageKey) {
            let connection = service.connection(for: key)
            if let index = stores.firstIndex(where: { $0.connection === connection }) {
                stores[index].keys.append(key)
            } else {
                stores.append((connection, [key]))
            }
        }
        for key in writes.keys { add(key) }
        for key in expectations.keys where writes[key] == nil { add(key) }
        return stores
    }

    /// The writes of a scope's part of the transaction, and the values before.
    private struct Undoing {
        let store: ConnectedStore
        /// The batches that undo it, one for each key.
        var batches: [SettingsStoreBatch] = []
    }

    /// Returns the locks of a key that its setting rejects.
    ///
    /// - Throws: `locked`, if the setting accepts one, or if it is not known which setting has the key.
    private func disregardedLocks(
        of key: SettingsService.StorageKey, in store: ConnectedStore
    ) throws(SettingsError) -> [SettingsStoreCandidate] {
        guard store.isLayered else { return [] }
        if let setting = values[key]?.setting ?? resetSettings[key] {
            return try service.disregardedLocks(of: setting, key: key, in: store)
        }
        if let lock = try store.read(key).all.first(where: \.isLocking) {
            throw store.locked(key, by: lock)
        }
        return []
    }

    /// Applies the part of the transaction that concerns one scope.
    ///
    /// - Returns: the batches that undo it; nil if an expectation did not hold.
    private func commit(
        _ keys: [SettingsService.StorageKey], isUndoable: Bool
    ) throws(SettingsError) -> Undoing? {
        guard let first = keys.first else { return nil }
        let store = try service.connection(for: first).requireStore(for: first)
        let written = self.writes
        let writes = keys.compactMap { key in written[key].map { SettingsStoreBatch.Entry(key: key, data: $0) } }
        var batch = SettingsStoreBatch(writes: writes, options: options)
        // Changes that an unopened store keeps have read nothing: the old values that hooks receive are in memory.
        batch.options.isKept = options.isKept && !store.isOpen
        if !batch.options.isKept {
            batch.expectations = keys.compactMap { key in expectations[key]?.entry(for: key) }
        }
        if store.isLayered {
            for write in writes {
                batch.options.disregardedLocks[write.key.name] = try disregardedLocks(of: write.key, in: store)
            }
        }
        var undoing = Undoing(store: store)
        if isUndoable {
            for write in writes {
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

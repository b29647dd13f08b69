#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Reads and writes that are carried out together; handed to the closure of a transaction.
    ///
    /// What it writes, it reads. What it has read must still be so when the transaction is carried out; otherwise the
    /// closure is run again.
    public struct Transaction {
        private let service: SettingsService
        private var writes: [StorageKey: Data?] = [:]
        /// Offers the values that were set to the commit, so that listeners get them as they were set.
        private var offers: [StorageKey: Offering] = [:]
        private var expectations: [StorageKey: Data?] = [:]
        /// The settings around whose changes somebody is to be called, in the order in which they were first set.
        private var hooked: [SettingDefinition] = []
        private var hookedIdentifiers: Set<ObjectIdentifier> = []
        /// What was set: those who listen to it are told of a failure.
        private var keysOfValues: Set<StorageKey> = []
        /// Whether listeners are told when what was set could not be stored.
        var tellsOfFailures = true
        /// How a store that is not open yet carries the transaction out again; nil if it is to refuse it.
        var operation: PendingOperation.Body?
        /// Whether hooks are called; they were, if a transaction is carried out again.
        var callsHooks = true
        private(set) var error: SettingsError?

        private struct Offering {
            let value: any Sendable
            let offer: () -> Void
            let settle: () -> Void
        }

        init(service: SettingsService) {
            self.service = service
        }

        /// The setting's value, as it will be after the writes made so far; its default where it
        /// cannot be read. A value that became undecodable from outside reads as the last good one.
        public mutating func get<T>(_ setting: Setting<T>) -> T {
            let data = data(for: setting.key)
            do throws(SettingsError) {
                return try setting.coding.value(for: data)
            } catch {
                return service.cell(of: setting).valueInForce(insteadOf: data, error).value
            }
        }

        /// Sets a value when the transaction is carried out. A value that cannot be encoded fails the whole transaction.
        public mutating func set<T>(_ setting: Setting<T>, to value: T) {
            let value = setting.coding.process(value)
            noteHooks(of: setting)
            keysOfValues.insert(setting.key)
            let cell = service.cell(of: setting)
            do throws(SettingsError) {
                let data = try setting.coding.bytes(for: value)
                writes[setting.key] = .some(data)
                offers[setting.key] = Offering(
                    value: value, offer: { cell.offer(value, as: data) }, settle: { cell.settleOffer(value, as: data) })
            } catch {
                self.error = self.error ?? error
            }
        }

        /// The setting's value; setting it is ``set(_:to:)``.
        public subscript<T>(setting: Setting<T>) -> T {
            mutating get { get(setting) }
            set { set(setting, to: newValue) }
        }

        /// Changes a value in place.
        @discardableResult
        public mutating func update<T, R, E: Error>(
            _ setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R {
            var value = get(setting)
            let result = try body(&value)
            set(setting, to: value)
            return result
        }

        /// Removes what is stored for the setting when the transaction is carried out.
        public mutating func reset(_ setting: SettingDefinition) {
            noteHooks(of: setting)
            write(nil, for: setting.key)
        }

        /// Whether something will be stored for the setting after the writes made so far.
        public mutating func isSet(_ setting: SettingDefinition) -> Bool {
            data(for: setting.key) != nil
        }

        /// Fails if there is no store for something that was written.
        func requireStores() throws(SettingsError) {
            for key in writes.keys { _ = try service.channel(for: key).requireHub(for: key) }
        }

        /// Whether two keys are one: of one name, in scopes that have one store.
        func areOne(_ key: StorageKey, _ other: StorageKey) -> Bool {
            if key == other { return true }
            guard key.name == other.name, let hub = service.channel(for: key).hub else { return false }
            return hub.feed === service.channel(for: other).hub?.feed
        }

        /// Writes bytes as they are when the transaction is carried out.
        mutating func write(_ data: Data?, for key: StorageKey) {
            writes[key] = .some(data)
            offers[key] = nil
        }

        private mutating func noteHooks(of setting: SettingDefinition) {
            guard setting.hasHooks, hookedIdentifiers.insert(ObjectIdentifier(setting)).inserted else { return }
            // What they are told is the old value has to be it.
            _ = storedData(for: setting.key)
            hooked.append(setting)
        }

        /// The calls around the changes that the transaction makes.
        private var hooks: CommitHooks {
            var hooks = CommitHooks()
            for setting in hooked {
                let key = setting.key
                let change = HookedChange(
                    oldData: expectations[key] ?? nil, newData: writes[key] ?? nil, newValue: offers[key]?.value)
                if change.oldData != change.newData { setting.addHooks(of: change, to: &hooks) }
            }
            return hooks
        }

        /// The stored bytes, or those that were written so far.
        mutating func data(for key: StorageKey) -> Data? {
            if let written = writes[key] { return written }
            return storedData(for: key)
        }

        /// The stored bytes, which are then expected to stay until the transaction is carried out.
        private mutating func storedData(for key: StorageKey) -> Data? {
            if let expected = expectations[key] { return expected }
            let channel = service.channel(for: key)
            do throws(SettingsError) {
                let data = try channel.read(key, from: channel.hub)
                expectations[key] = .some(data)
                return data
            } catch {
                // Unreadable is not empty: nothing that was computed from it may be written.
                self.error = self.error ?? error.completed(key: key, store: nil)
                return nil
            }
        }

        /// Carries the transaction out.
        ///
        /// - Returns: false, with nothing changed, if something that was read has changed since.
        func commit() throws(SettingsError) -> Bool {
            try commit { () throws(SettingsError) in try carryOut() }
        }

        /// Carries the transaction out so that it is completed if the process dies in the middle of it.
        ///
        /// - Returns: false, with nothing changed, if something that was read has changed since.
        func commit(across intents: MigrationIntents) throws(SettingsError) -> Bool {
            try commit { () throws(SettingsError) in
                func entries(_ values: [StorageKey: Data?]) -> [SettingsStoreBatch.Entry] {
                    values.map { .init(key: $0.key, data: $0.value) }
                }
                // A store of two functions makes them in this order: what is removed goes last.
                let writes = entries(writes.filter { $0.value != nil }) + entries(writes.filter { $0.value == nil })
                return try intents.carryOut(writes, expecting: entries(expectations))
            }
        }

        private func commit(by carryOut: () throws(SettingsError) -> Bool) throws(SettingsError) -> Bool {
            if let error { throw error }
            if writes.isEmpty { return try keepDecision() }
            let hooks = callsHooks ? hooks : CommitHooks()
            hooks.callBefore()
            for offering in offers.values { offering.offer() }
            defer { for offering in offers.values { offering.settle() } }
            guard try carryOut() else { return false }
            hooks.callAfter()
            return true
        }

        private func carryOut() throws(SettingsError) -> Bool {
            let stores = Dictionary(grouping: Set(writes.keys).union(expectations.keys)) { key in
                ObjectIdentifier(service.channel(for: key))
            }
            if stores.count > 1 { try requireOpenStores(of: stores) }
            var done: [Undoing] = []
            for keys in stores.values {
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

        /// Has a transaction that writes nothing carried out again by a store that is not open yet: with the stored values, it
        /// may come to another decision.
        ///
        /// - Returns: false if the store is open now, and something that was read is not stored.
        private func keepDecision() throws(SettingsError) -> Bool {
            guard operation != nil else { return true }
            for key in expectations.keys {
                guard let hub = service.channel(for: key).hub, hub.recovering?.unavailability != nil else { continue }
                let read = expectations.filter { service.channel(for: $0.key).hub?.feed === hub.feed }
                let batch = SettingsStoreBatch(
                    writes: [], expectations: read.map { .init(key: $0.key, data: $0.value) })
                return try hub.apply(hub.noting(operation, in: batch, of: service))
            }
            return true
        }

        /// Fails if a store is not open that takes part, unless nothing is written in any other: what is computed from its
        /// values must not get into one that is, and is to be carried out again.
        private func requireOpenStores(of stores: [ObjectIdentifier: [StorageKey]]) throws(SettingsError) {
            let writing = stores.filter { $0.value.contains { writes[$0] != nil } }.keys
            for (identifier, keys) in stores where writing.contains(where: { $0 != identifier }) {
                if let key = keys.first { try service.channel(for: key).hub?.requireOpen() }
            }
        }

        /// Tells those who listen to the settings that were set that it has failed.
        func tellListeners(of failure: SettingsError) {
            guard tellsOfFailures else { return }
            for key in keysOfValues { service.channel(for: key).tell(key.name, of: failure) }
        }

        /// What a scope's part of the transaction has written, and what was there before.
        private struct Undoing {
            let hub: StoreHub
            let before: [SettingsStoreBatch.Entry]
            let after: [SettingsStoreBatch.Entry]
        }

        /// Carries out the part of the transaction that concerns one scope.
        ///
        /// - Returns: what undoes it; nil if an expectation did not hold.
        private func commit(
            _ keys: [StorageKey], isUndoable: Bool
        ) throws(SettingsError) -> Undoing? {
            guard let first = keys.first else { return nil }
            let hub = try service.channel(for: first).requireHub(for: first)
            func entries(_ values: [StorageKey: Data?]) -> [SettingsStoreBatch.Entry] {
                keys.compactMap { key in values[key].map { .init(key: key, data: $0) } }
            }
            let writes = entries(writes)
            var expectations = entries(expectations)
            do {
                var before: [SettingsStoreBatch.Entry] = []
                if isUndoable {
                    before = try writes.map { .init(key: $0.key, data: try hub.store.get($0.key)) }
                    // If that changes before the batch is carried out, setting it back would undo somebody else's write.
                    expectations += before
                }
                let batch = SettingsStoreBatch(writes: writes, expectations: expectations)
                guard try hub.apply(hub.noting(operation, in: batch, of: service)) else { return nil }
                return Undoing(hub: hub, before: before, after: writes)
            } catch {
                throw .wrap(error, as: .writeFailed, store: hub.store.storeDescription)
            }
        }

        /// Takes back what was carried out in other scopes before one failed, except where somebody has written since.
        private func revert(_ done: [Undoing]) {
            for undoing in done.reversed() {
                for (before, after) in zip(undoing.before, undoing.after) {
                    do throws(SettingsError) {
                        _ = try undoing.hub.apply(SettingsStoreBatch(writes: [before], expectations: [after]))
                    } catch {
                        service.registry.diagnostics.report(error)
                    }
                }
            }
        }
    }

    /// Carries out several reads and writes together: all of them or none. Listeners to several settings are notified
    /// once.
    ///
    /// `body` may run more than once, on any thread, without a lock held: it runs again when a value that it has read was
    /// changed before the transaction could be carried out, and when a store becomes available that could not be opened (see
    /// ``init(shared:storesForCustomScopes:diagnosticSink:)``). So it should do nothing but compute; return what you want to
    /// know. Within one scope, all or nothing is as strict as the store's ``SettingsStore/apply(_:)``. Across scopes, a scope
    /// that fails has the others set back, which readers may see.
    ///
    /// Problems are diagnosed, and nothing is changed; ``save(_:)`` throws them, and takes a closure that need not be
    /// `Sendable`.
    ///
    /// - Returns: the result of the run that counted.
    @discardableResult
    public func transaction<R>(_ body: @escaping @Sendable (inout Transaction) -> R) -> R {
        let (result, error): (R, SettingsError?) = attempt(body) { service throws(SettingsError) in
            try service.repeat { _ = body(&$0) }
        }
        if let error { registry.diagnostics.report(error) }
        return result
    }

    /// Carries out several reads and writes together, with a closure that may throw, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then.
    @discardableResult
    public func transaction<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        try save(body)
    }

    /// Carries out several reads and writes together, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; nothing is changed then.
    @discardableResult
    public func save<R>(_ body: (inout Transaction) throws -> R) throws -> R {
        let (result, error) = try attempt(body)
        if let error { throw error }
        return result
    }

    /// Changes a value in place, so that no other change is lost in between.
    ///
    /// `body` may run more than once, on any thread, without a lock held: it runs again on the new value when the setting
    /// was changed meanwhile, and on the stored value when a store becomes available that could not be opened (see
    /// ``init(shared:storesForCustomScopes:diagnosticSink:)``). Problems are diagnosed, and the old value stays.
    ///
    /// - Returns: the result of the run that counted.
    @discardableResult
    public func update<T, R>(_ setting: Setting<T>, _ body: @escaping @Sendable (inout T) -> R) -> R {
        transaction { (transaction: inout Transaction) -> R in transaction.update(setting, body) }
    }

    /// Changes a value in place with a closure that may throw, and throws what went wrong.
    ///
    /// - Throws: the error of `body`, or ``SettingsError``; the old value stays.
    @discardableResult
    public func update<T, R>(_ setting: Setting<T>, _ body: (inout T) throws -> R) throws -> R {
        try save { (transaction: inout Transaction) throws -> R in try transaction.update(setting, body) }
    }

    /// How often a transaction is begun again before it is given up. Others make progress each time, so that this many
    /// failures mean a store that never answers twice the same.
    private static var attemptLimit: Int { 10_000 }

    /// Carries out a transaction whose closure does not fail, and throws what went wrong.
    ///
    /// - Parameter isKept: Whether a store that is not open yet keeps the transaction; if not, it throws.
    func commit(isKept: Bool, _ body: @escaping @Sendable (inout Transaction) -> Void) throws(SettingsError) {
        let operation: PendingOperation.Body = { service throws(SettingsError) in try service.repeat(body) }
        let (_, error) = attempt(body, operation: isKept ? operation : nil)
        if let error { throw error }
    }

    /// Makes writes that were made before, on another store.
    func repeatWrites(_ writes: [SettingsStoreBatch.Entry]) throws(SettingsError) {
        try `repeat` { transaction in for write in writes { transaction.write(write.data, for: write.key) } }
    }

    /// Carries out a transaction that was carried out before, on another store.
    private func `repeat`(_ body: (inout Transaction) -> Void) throws(SettingsError) {
        let (_, error) = attempt { transaction in
            transaction.callsHooks = false
            body(&transaction)
        }
        if let error { throw error }
    }

    private func attempt<R, E: Error>(
        _ body: (inout Transaction) throws(E) -> R, operation: PendingOperation.Body? = nil
    ) throws(E) -> (R, SettingsError?) {
        var attempts = 0
        while true {
            attempts += 1
            var transaction = Transaction(service: self)
            transaction.operation = operation
            let result = try body(&transaction)
            do throws(SettingsError) {
                if try transaction.commit() { return (result, nil) }
                if attempts == Self.attemptLimit { throw SettingsError(.conflict) }
            } catch {
                transaction.tellListeners(of: error)
                return (result, error)
            }
        }
    }
}

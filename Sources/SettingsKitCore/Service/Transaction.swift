#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Reads and writes that are applied together; passed to the closure of a transaction.
    ///
    /// Reads see earlier writes. If a value that the closure has read changes before the transaction is applied, the closure runs
    /// again. So the values that it has read in one store with a feed are those of one moment, also if it writes nothing.
    public struct Transaction {
        /// What the transaction has read and will write under one key.
        struct Entry {
            let key: StorageKey
            let connection: ScopeConnection
            /// The bytes to store. Nil to store nothing. Its key has the type of the setting that writes.
            var written: SettingsStoreBatch.Entry?
            /// The value whose bytes are to be stored, so that they need not be decoded.
            var value: (any Sendable)?
            /// The setting that was set or reset. Only the setting decides whether it is locked.
            var setting: (any CachedSetting)?
            /// The value that must still be stored when the transaction is applied, because the closure has read it or hooks receive
            /// it.
            var expected: StoredValue?
            /// Whether the closure has read the stored value.
            var isRead = false
            /// Whether it is removed after everything else is stored, because a migration moves its value to another store.
            var isRemovedLast = false

            /// Whether nothing is to be stored.
            var isRemoved: Bool { written.map { $0.data == nil } ?? false }
        }

        let service: SettingsService
        /// In the order of their first use. Frequent loops use indices: copying an entry takes long.
        private(set) var entries: [Entry] = []
        /// The entries that are written.
        var writtenEntries: some Sequence<Entry> { entries.lazy.filter { $0.written != nil } }
        /// The places of the entries, if there are many.
        private var indices: [StorageKey: Int] = [:]
        /// The settings that have hooks, in the order in which they were first set.
        private var hooked: [SettingDefinition] = []
        private var hookedIdentifiers: Set<ObjectIdentifier> = []
        /// The options with which its batches are applied.
        let options: SettingsStoreBatch.Options
        /// The key of the migration's ledger, whose store is written last; nil for a transaction that is no migration.
        var ledger: StorageKey?
        /// Whether a store that agrees with other machines confirms the reads if the transaction writes nothing.
        var confirmsReads = true
        /// The number of this run of the closure.
        var attempt = 1
        /// The error because of which nothing can be applied.
        private(set) var error: SettingsError?
        /// The error because of which no value can be stored: a value that was read is the default although another is stored, or
        /// would be lost.
        private(set) var refusal: SettingsError?

        init(service: SettingsService, options: SettingsStoreBatch.Options) {
            (self.service, self.options) = (service, options)
        }

        /// Returns the setting's value after the writes made so far, or its default if it cannot be read. A value that an external
        /// change made undecodable reads as the last good one.
        ///
        /// If the value is the default because the stored one cannot be decoded or the setting rejects it, the transaction stores
        /// no value: the stored one would be lost. ``set(_:to:)`` in a transaction that does not read it replaces it, and
        /// ``reset(_:)`` removes it.
        public mutating func get<T>(_ setting: Setting<T>) -> T {
            let cached = service.cachedSetting(for: setting)
            cached.recordUse()
            let stored = value(for: setting.key, cached.connection)
            if stored.candidates == nil {
                do throws(SettingsError) {
                    return try setting.coding.value(for: stored.data)
                } catch {
                    // The last good value may count, below.
                }
            }
            let inForce = cached.inForce(holding: stored)
            let rejections = inForce.resolution?.rejections ?? []
            cached.connection.report(rejections)
            // A value of the layer that is written to has no layer.
            if inForce.resolution?.candidate == nil,
                let refused = rejections.first(where: { $0.candidate.layer == nil })?.error
            {
                refusal =
                    refusal
                    ?? SettingsError(refused.code, key: setting.key, underlying: StoredValueIsUnusable(cause: refused))
            }
            return cached.value(of: inForce)
        }

        /// Sets a value when the transaction is applied. A value that cannot be encoded fails the whole transaction.
        public mutating func set<T>(_ setting: Setting<T>, to value: T) {
            let value = setting.coding.process(value)
            recordHooks(of: setting)
            do throws(SettingsError) {
                let data = try setting.coding.bytes(for: value)
                let cached = service.cachedSetting(for: setting)
                let index = index(of: setting.key, cached.connection)
                entries[index].written = .init(key: setting.key, data: data)
                (entries[index].value, entries[index].setting) = (value, cached)
                entries[index].isRemovedLast = false
            } catch {
                self.error = self.error ?? error
            }
        }

        /// The setting's value. Assigning to it calls ``set(_:to:)``.
        public subscript<T>(setting: Setting<T>) -> T {
            mutating get { get(setting) }
            set { set(setting, to: newValue) }
        }

        /// Changes a value in place: the one that ``get(_:)`` returns.
        @discardableResult
        public mutating func update<T, R, E: Error>(
            _ setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R {
            try change(get(setting), of: setting, body)
        }

        private mutating func change<T, R, E: Error>(
            _ old: T, of setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R {
            var value = old
            HeldLocks.requireNone(before: "the closure of an update")
            let result = try body(&value)
            set(setting, to: value)
            return result
        }

        /// Changes a value in place, unless it is the default although another value is stored or may be stored. The transaction
        /// then fails without a call of `body`, whose error would come from a value that is not the stored one.
        mutating func updateKnown<T, R, E: Error>(
            _ setting: Setting<T>, _ body: (inout T) throws(E) -> R
        ) throws(E) -> R? {
            do throws(SettingsError) {
                try service.connection(for: setting.key).store?.requireOpen(toCalculateFrom: setting.key)
            } catch {
                self.error = error
                return nil
            }
            let value = get(setting)
            error = error ?? refusal
            return error == nil ? try change(value, of: setting, body) : nil
        }

        /// Removes the setting's stored value when the transaction is applied.
        public mutating func reset(_ setting: SettingDefinition) {
            recordHooks(of: setting)
            write(nil, for: setting.key, of: setting.cached(in: service))
        }

        /// Returns whether a value will be stored for the setting after the writes made so far.
        public mutating func isSet(_ setting: SettingDefinition) -> Bool {
            !value(for: setting.key, service.connection(for: setting.key)).isEmpty
        }

        /// - Throws: `noStore` if a scope that was written to has no store.
        func requireStores() throws(SettingsError) {
            for entry in writtenEntries { _ = try entry.connection.requireStore(for: entry.key) }
        }

        /// Returns whether two keys are the same: one name, in scopes that have one store.
        func areOne(_ key: StorageKey, _ other: StorageKey) -> Bool {
            if key == other { return true }
            guard key.name == other.name, let store = service.connection(for: key).store else { return false }
            return store.isSame(as: service.connection(for: other).store)
        }

        /// Writes bytes when the transaction is applied.
        ///
        /// - Parameter setting: The setting that was reset. Nil if it is not known.
        mutating func write(_ data: Data?, for key: StorageKey, of setting: (any CachedSetting)? = nil) {
            let index = index(of: key, service.connection(for: key))
            entries[index].written = .init(key: key, data: data)
            entries[index].value = nil
            entries[index].setting = setting
            entries[index].isRemovedLast = false
        }

        /// Moves stored bytes from one key to another, unless the other key has another value.
        ///
        /// - Parameter set: Sets the other key.
        mutating func move(_ data: Data?, from source: StorageKey, to target: StorageKey, set: (inout Self) -> Void) {
            if areOne(source, target) { return set(&self) }
            let present = self.data(for: target)
            // The same value may already be there, if the program died between the two writes.
            guard present == nil || present == data else { return }
            set(&self)
            let connection = service.connection(for: source)
            write(nil, for: source)
            guard let store = connection.store else { return }
            let isElsewhere = !store.isSame(as: service.connection(for: target).store)
            entries[index(of: source, connection)].isRemovedLast = isElsewhere
        }

        private mutating func recordHooks(of setting: SettingDefinition) {
            guard setting.hasHooks, hookedIdentifiers.insert(ObjectIdentifier(setting)).inserted else { return }
            // The old value that hooks are given must still be the stored one at the commit.
            _ = storedValue(at: index(of: setting.key, service.connection(for: setting.key)))
            hooked.append(setting)
        }

        /// The hooks to call around the transaction's changes.
        var hooks: CommitHooks {
            var hooks = CommitHooks()
            for setting in hooked {
                guard let entry = entry(of: setting.key) else { continue }
                let old = entry.expected ?? .nothing
                let data = entry.written?.data
                if old.writableData == data { continue }
                let change = HookedChange(old: old, new: old.replacingWritableData(by: data), newValue: entry.value)
                setting.addHooks(of: change, in: service, to: &hooks)
            }
            return hooks
        }

        /// Returns the bytes written so far, or those in the layer that is written to.
        mutating func data(for key: StorageKey) -> Data? {
            let index = index(of: key, service.connection(for: key))
            if let written = entries[index].written { return written.data }
            return readValue(at: index).writableData
        }

        /// Returns the stored values, with the bytes written so far.
        private mutating func value(for key: StorageKey, _ connection: ScopeConnection) -> StoredValue {
            let index = index(of: key, connection)
            guard let written = entries[index].written else { return readValue(at: index) }
            guard connection.store?.isLayered ?? false else { return StoredValue(written.data) }
            return readValue(at: index).replacingWritableData(by: written.data)
        }

        /// Returns the stored values for the closure.
        private mutating func readValue(at index: Int) -> StoredValue {
            entries[index].isRead = true
            return storedValue(at: index)
        }

        /// Returns the stored values, and expects them to stay until the transaction is applied.
        private mutating func storedValue(at index: Int) -> StoredValue {
            if let expected = entries[index].expected { return expected }
            let key = entries[index].key
            do throws(SettingsError) {
                let stored = try entries[index].connection.requireStore(for: key).read(key)
                entries[index].expected = stored
                return stored
            } catch {
                // Unreadable is not empty: no value computed from it may be written.
                self.error = self.error ?? error.completed(key: key, store: nil)
                return .nothing
            }
        }

        // MARK: Entries

        /// The number of entries up to which comparing keys takes less time than a dictionary.
        private static var fewEntries: Int { 16 }

        private func entry(of key: StorageKey) -> Entry? { firstIndex(of: key).map { entries[$0] } }

        private func firstIndex(of key: StorageKey) -> Int? {
            if entries.count > Self.fewEntries { return indices[key] }
            return entries.indices.first { entries[$0].key == key }
        }

        /// Returns the index of a key's entry, and adds it if there is none.
        private mutating func index(of key: StorageKey, _ connection: ScopeConnection) -> Int {
            if let index = firstIndex(of: key) { return index }
            let index = entries.count
            entries.append(Entry(key: key, connection: connection))
            if index == Self.fewEntries {
                for (place, entry) in entries.enumerated() { indices[entry.key] = place }
            } else if index > Self.fewEntries {
                indices[key] = index
            }
            return index
        }
    }
}

extension ConnectedStore {
    /// Tries to open the store if it is not open, so that a value can be calculated from the one under a key.
    ///
    /// - Throws: The reason if it cannot be opened.
    func requireOpen(toCalculateFrom key: SettingsService.StorageKey) throws(SettingsError) {
        do throws(SettingsError) {
            try requireOpen()
        } catch {
            throw SettingsError(
                error.code, key: key, store: error.store, underlying: StoreIsNotOpen(cause: error.underlying))
        }
    }
}

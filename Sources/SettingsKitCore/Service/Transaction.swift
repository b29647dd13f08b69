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
        let service: SettingsService
        /// The bytes to store.
        private(set) var writes: [StorageKey: Data?] = [:]
        /// The values whose bytes are to be stored, so that they need not be decoded.
        private(set) var values: [StorageKey: (setting: any CachedSetting, value: any Sendable)] = [:]
        /// The values that must still be stored when the transaction is applied, because the closure has read them or hooks receive
        /// them.
        private(set) var expectations: [StorageKey: StoredValue] = [:]
        /// The keys whose stored values the closure has read.
        private(set) var readKeys: Set<StorageKey> = []
        /// The settings that were reset. Only the setting decides whether it is locked, as for the settings that were set.
        private(set) var resetSettings: [StorageKey: any CachedSetting] = [:]
        /// The settings that have hooks, in the order in which they were first set.
        private var hooked: [SettingDefinition] = []
        private var hookedIdentifiers: Set<ObjectIdentifier> = []
        /// The options with which its batches are applied.
        let options: SettingsStoreBatch.Options
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
            let stored = value(for: setting.key)
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
                writes[setting.key] = .some(try setting.coding.bytes(for: value))
                values[setting.key] = (service.cachedSetting(for: setting), value)
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
            write(nil, for: setting.key)
            resetSettings[setting.key] = setting.cached(in: service)
        }

        /// Returns whether a value will be stored for the setting after the writes made so far.
        public mutating func isSet(_ setting: SettingDefinition) -> Bool {
            !value(for: setting.key).isEmpty
        }

        /// - Throws: `noStore` if a scope that was written to has no store.
        func requireStores() throws(SettingsError) {
            for key in writes.keys { _ = try service.connection(for: key).requireStore(for: key) }
        }

        /// Returns whether two keys are the same: one name, in scopes that have one store.
        func areOne(_ key: StorageKey, _ other: StorageKey) -> Bool {
            if key == other { return true }
            guard key.name == other.name, let store = service.connection(for: key).store else { return false }
            return store.isSame(as: service.connection(for: other).store)
        }

        /// Writes bytes when the transaction is applied.
        mutating func write(_ data: Data?, for key: StorageKey) {
            writes[key] = .some(data)
            values[key] = nil
        }

        private mutating func recordHooks(of setting: SettingDefinition) {
            guard setting.hasHooks, hookedIdentifiers.insert(ObjectIdentifier(setting)).inserted else { return }
            // The old value that hooks are given must still be the stored one at the commit.
            _ = storedValue(for: setting.key)
            hooked.append(setting)
        }

        /// The hooks to call around the transaction's changes.
        var hooks: CommitHooks {
            var hooks = CommitHooks()
            for setting in hooked {
                let key = setting.key
                let old = expectations[key] ?? .nothing
                let data = writes[key] ?? nil
                if old.writableData == data { continue }
                let change = HookedChange(
                    old: old, new: old.replacingWritableData(by: data), newValue: values[key]?.value)
                setting.addHooks(of: change, in: service, to: &hooks)
            }
            return hooks
        }

        /// Returns the bytes written so far, or those in the layer that is written to.
        mutating func data(for key: StorageKey) -> Data? {
            if let written = writes[key] { return written }
            return readValue(for: key).writableData
        }

        /// Returns the bytes that the layer that is written to will hold for a setting after the writes made so far.
        package mutating func storedData(of setting: SettingDefinition) -> Data? { data(for: setting.key) }

        /// Stores bytes that were stored before, whether or not the setting accepts them; nil removes the stored value.
        package mutating func restore(_ data: Data?, of setting: SettingDefinition) {
            reset(setting)
            write(data, for: setting.key)
        }

        /// Returns the stored values, with the bytes written so far.
        private mutating func value(for key: StorageKey) -> StoredValue {
            guard let written = writes[key] else { return readValue(for: key) }
            guard service.connection(for: key).store?.isLayered ?? false else { return StoredValue(written) }
            return readValue(for: key).replacingWritableData(by: written)
        }

        /// Returns the stored values for the closure.
        private mutating func readValue(for key: StorageKey) -> StoredValue {
            readKeys.insert(key)
            return storedValue(for: key)
        }

        /// Returns the stored values, and expects them to stay until the transaction is applied.
        private mutating func storedValue(for key: StorageKey) -> StoredValue {
            if let expected = expectations[key] { return expected }
            do throws(SettingsError) {
                let stored = try service.connection(for: key).requireStore(for: key).read(key)
                expectations[key] = stored
                return stored
            } catch {
                // Unreadable is not empty: no value computed from it may be written.
                self.error = self.error ?? error.completed(key: key, store: nil)
                return .nothing
            }
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

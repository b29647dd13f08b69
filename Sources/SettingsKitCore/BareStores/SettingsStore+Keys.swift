#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Problems of reading stores without a service, so that each cause is reported once.
private let bareStoreDiagnostics = Diagnostics(sink: .standard)

// Typed access to a store without a service.
//
// Each read asks the store and decodes. Writes take the same path as a service's, so services over the store and their
// listeners see them at once. The scope of a key matters only to the store.
//
// A setting is a key, too. The functions for keys are disfavoured, so that a setting takes its own.
extension SettingsStore {
    /// Returns the value stored under a key, or its default if there is none.
    ///
    /// Never throws. If the store cannot be read or the bytes cannot be decoded, the default is returned, the bytes
    /// stay, and the error is reported to ``SettingsService/DiagnosticSink/standard``, once for each cause; `load`
    /// throws it. Nothing is cached: to read often, use a service, a ``Persisted`` property or a ``SettingsStorage``.
    @_disfavoredOverload public func get<Key: SettingKey>(_ key: Key) -> Key.Value where Key.Value: Codable & Sendable {
        get(ValueCoding(of: key))
    }

    /// Returns the value stored for a setting, or its default if there is none, as `get` does for a custom key.
    public func get<T>(_ setting: SettingsService.Setting<T>) -> T {
        // A default that is stored at the first read is written as every value is.
        if case .once = setting.coding.default { return StoreServices.service(over: self).get(setting) }
        return get(setting.coding)
    }

    /// Returns the value stored under a key, or its default if there is none.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    @_disfavoredOverload public func load<Key: SettingKey>(_ key: Key) throws -> Key.Value
    where Key.Value: Codable & Sendable {
        try load(ValueCoding(of: key))
    }

    /// Returns the value stored for a setting, or its default if there is none.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<T>(_ setting: SettingsService.Setting<T>) throws -> T {
        try load(setting.coding)
    }

    private func get<Value>(_ coding: ValueCoding<Value>) -> Value {
        do throws(SettingsError) {
            let resolution = try resolve(coding)
            for rejection in resolution.rejections {
                bareStoreDiagnostics.reportOnce(locating(rejection.error), bytes: rejection.candidate.data)
            }
            return resolution.value
        } catch {
            bareStoreDiagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    private func load<Value>(_ coding: ValueCoding<Value>) throws -> Value {
        do throws(SettingsError) {
            return try coding.value(for: stored(for: coding.key))
        } catch {
            throw locating(error)
        }
    }

    /// Finds the value that counts; in the place of bytes that were bad when they came from outside, the last good ones.
    private func resolve<Value>(_ coding: ValueCoding<Value>) throws(SettingsError) -> Resolution<Value> {
        let stored = try stored(for: coding.key)
        return coding.resolve(stored) { candidate in
            serialised.feed?.lastGood.data(insteadOf: candidate, named: coding.key.name)
        }
    }

    private func stored(for key: SettingsService.StorageKey) throws(SettingsError) -> StoredValue {
        do {
            return try read(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: storeDescription)
        }
    }

    /// Stores a value under a key, and calls the functions of the key and the hooks of its namespace.
    ///
    /// Setting the stored value again does nothing. An error is reported to
    /// ``SettingsService/DiagnosticSink/standard``, and the old value stays; `save` throws it.
    @_disfavoredOverload public func set<Key: SettingKey & Sendable>(_ key: Key, value: Key.Value)
    where Key.Value: Codable & Sendable {
        StoreServices.service(over: self).set(SettingsService.Setting(key), to: value)
    }

    /// Stores a setting's value, as `set` does for a custom key.
    public func set<T>(_ setting: SettingsService.Setting<T>, value: T) {
        StoreServices.service(over: self).set(setting, to: value)
    }

    /// Stores a value under a key.
    ///
    /// - Throws: ``SettingsError``; the old value then stays.
    @_disfavoredOverload public func save<Key: SettingKey & Sendable>(_ key: Key, value: Key.Value) throws
    where Key.Value: Codable & Sendable {
        try StoreServices.service(over: self).save(SettingsService.Setting(key), to: value)
    }

    /// Stores a setting's value.
    ///
    /// - Throws: ``SettingsError``; the old value then stays.
    public func save<T>(_ setting: SettingsService.Setting<T>, value: T) throws {
        try StoreServices.service(over: self).save(setting, to: value)
    }

    /// Removes all values of the store, also those for which this program has no setting, for example before a test.
    ///
    /// An error is reported to ``SettingsService/DiagnosticSink/standard``. A store that cannot list its keys stays
    /// unchanged.
    public func clear() {
        StoreServices.service(over: self).reset(scope: .defaults)
    }

    /// Removes the values of all settings of a namespace, and of those inside it, also of those that this program does
    /// not define.
    public func clear(_ namespace: any SettingsNamespace.Type) {
        StoreServices.service(over: self).reset(namespace, in: .defaults)
    }
}

extension ValueCoding where Value: Codable {
    /// How the values of a custom key are stored.
    convenience init<Key: SettingKey>(of key: Key) where Key.Value == Value {
        self.init(key: key.key, default: .constant(key.defaultValue), form: .form(of: key))
    }
}

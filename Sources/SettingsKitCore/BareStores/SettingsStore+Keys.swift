#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Read problems of stores without a service, so that each cause is reported once.
private let bareStoreDiagnostics = Diagnostics(sink: .standard)

// Typed access to a store without a service.
//
// Each read asks the store and decodes. Writes take the same path as a service's, so services that use the store and their
// listeners see them at once. Only the store uses the scope of a key.
extension SettingsStore {
    /// Returns the value stored under a key, or its default if there is none.
    ///
    /// Never throws. If the store cannot be read or the bytes cannot be decoded, the default is returned, the bytes
    /// stay, and the error is reported to ``SettingsService/DiagnosticSink/standard``, once for each cause; `load`
    /// throws it. Nothing is cached: to read often, use a service, a ``Persisted`` property or a ``SettingsStorage``.
    public func get<Key: SettingKey>(_ key: Key) -> Key.Value where Key.Value: Codable & Sendable {
        get(ValueCoding(of: key))
    }

    /// Returns the value stored for a setting, or its default if there is none, as `get` does for a custom key.
    public func get<T>(_ setting: SettingsService.Setting<T>) -> T {
        // A default that is stored at the first read is written like every value.
        if case .once = setting.coding.default.source { return StoreServices.service(over: self).get(setting) }
        return get(setting.coding)
    }

    /// Returns the value stored under a key, or its default if there is none.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<Key: SettingKey>(_ key: Key) throws -> Key.Value
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
            let inForce = try inForce(coding)
            for rejection in inForce.resolution?.rejections ?? [] {
                bareStoreDiagnostics.reportOnce(locating(rejection.error), bytes: rejection.candidate.data)
            }
            guard let value = inForce.resolution?.value as? Value else { return coding.defaultValue }
            return value
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

    /// Returns what is in force: the last good value in place of external bytes that are rejected.
    private func inForce<Value>(_ coding: ValueCoding<Value>) throws(SettingsError) -> ValueInForce {
        ValueInForce(try stored(for: coding.key), named: coding.key.name, after: serialized.feed?.earlier)
            .judged(by: coding)
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
    public func set<Key: SettingKey & Sendable>(_ key: Key, to value: Key.Value)
    where Key.Value: Codable & Sendable {
        StoreServices.service(over: self).set(SettingsService.Setting(key), to: value)
    }

    /// Stores a setting's value, as `set` does for a custom key.
    public func set<T>(_ setting: SettingsService.Setting<T>, to value: T) {
        StoreServices.service(over: self).set(setting, to: value)
    }

    /// Stores a value under a key.
    ///
    /// - Throws: ``SettingsError``; the old value stays.
    public func save<Key: SettingKey & Sendable>(_ key: Key, to value: Key.Value) throws
    where Key.Value: Codable & Sendable {
        try StoreServices.service(over: self).save(SettingsService.Setting(key), to: value)
    }

    /// Stores a setting's value.
    ///
    /// - Throws: ``SettingsError``; the old value stays.
    public func save<T>(_ setting: SettingsService.Setting<T>, to value: T) throws {
        try StoreServices.service(over: self).save(setting, to: value)
    }

    /// Removes the value of a key, so that it reads as its default. An error is reported to
    /// ``SettingsService/DiagnosticSink/standard``, and the value stays; `remove` throws it.
    public func reset<Key: SettingKey & Sendable>(_ key: Key)
    where Key.Value: Codable & Sendable {
        StoreServices.service(over: self).reset(SettingsService.Setting(key))
    }

    /// Removes a setting's value, as `reset` does for a custom key.
    public func reset(_ setting: SettingDefinition) { StoreServices.service(over: self).reset(setting) }

    /// Removes the value of a key, so that it reads as its default.
    ///
    /// - Throws: ``SettingsError``; the value stays.
    public func remove<Key: SettingKey & Sendable>(_ key: Key) throws
    where Key.Value: Codable & Sendable {
        try StoreServices.service(over: self).remove(SettingsService.Setting(key))
    }

    /// Removes a setting's value, so that it reads as its default.
    ///
    /// - Throws: ``SettingsError``; the value stays.
    public func remove(_ setting: SettingDefinition) throws { try StoreServices.service(over: self).remove(setting) }

    /// Removes the values of all settings of a namespace and of the namespaces inside it, including those that this program does
    /// not define.
    ///
    /// - Throws: ``SettingsError``; all values stay then.
    public func removeAll(in namespace: any SettingsNamespace.Type) throws {
        try StoreServices.service(over: self).remove(namespace, in: .defaults)
    }
}

extension ValueCoding where Value: Codable {
    /// Creates the coding for the values of a custom key.
    convenience init<Key: SettingKey>(of key: Key) where Key.Value == Value {
        self.init(key: key.key, default: .constant(key.defaultValue), form: .form(of: key))
    }
}

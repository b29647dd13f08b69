#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    public func get<Key: SettingKey & Sendable>(_ key: Key) -> Key.Value where Key.Value: Codable & Sendable {
        StoreServices.service(over: self).get(SettingsService.Setting(key))
    }

    /// Returns the value stored for a setting, or its default if there is none, as `get` does for a custom key.
    public func get<T>(_ setting: SettingsService.Setting<T>) -> T { StoreServices.service(over: self).get(setting) }

    /// Returns the value stored under a key, or its default if there is none.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<Key: SettingKey & Sendable>(_ key: Key) throws -> Key.Value
    where Key.Value: Codable & Sendable {
        try StoreServices.service(over: self).load(SettingsService.Setting(key))
    }

    /// Returns the value stored for a setting, or its default if there is none.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<T>(_ setting: SettingsService.Setting<T>) throws -> T {
        try StoreServices.service(over: self).load(setting)
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

/// The services for property wrappers, records and migrations that use a store without a service. There is one service
/// for each store object.
enum StoreServices {
    private static let services = StoreTable<SettingsService>()

    static func service(over store: any SettingsStore) -> SettingsService {
        services.object(for: store) { SettingsService(over: store) }
    }
}

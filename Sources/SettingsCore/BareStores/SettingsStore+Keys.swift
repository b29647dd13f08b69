#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The problems met in reading stores without a service, so that each cause is reported once.
private let bareStoreDiagnostics = Diagnostics(sink: .standard)

// Typed access to a store, without a service.
//
// Reading reads the store and decodes each time. Writing goes the way of a service's, so that services over the store, and
// their listeners, see it at once. Only the store looks at the scope of a key.
extension SettingsStore {
    /// The value stored under a key, or its default when there is none.
    ///
    /// It never throws. What cannot be read or decoded stays where it is, reads as the default, and is reported to
    /// ``SettingsService/DiagnosticSink/standard``, once for each cause; `load` throws it. Nothing is cached: to read often,
    /// use a service, a ``Persisted`` property or a ``SettingsStorage``.
    public func get<Key: SettingKey>(_ key: Key) -> Key.Value where Key.Value: Codable & Sendable {
        get(ValueCoding(of: key))
    }

    /// The value stored for a setting, or its default when there is none; as `get` with a key of your own.
    public func get<T>(_ setting: SettingsService.Setting<T>) -> T {
        get(setting.coding)
    }

    /// The value stored under a key, or its default when there is none; throws what went wrong.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<Key: SettingKey>(_ key: Key) throws -> Key.Value where Key.Value: Codable & Sendable {
        try load(ValueCoding(of: key))
    }

    /// The value stored for a setting, or its default when there is none; throws what went wrong.
    ///
    /// - Throws: ``SettingsError`` with the code `readFailed` or `decodingFailed`.
    public func load<T>(_ setting: SettingsService.Setting<T>) throws -> T {
        try load(setting.coding)
    }

    private func get<Value>(_ coding: ValueCoding<Value>) -> Value {
        var data: Data?
        do throws(SettingsError) {
            data = try bytes(for: coding.key)
            return try coding.value(for: data)
        } catch {
            let error = error.completed(key: coding.key, store: storeDescription)
            bareStoreDiagnostics.reportOnce(error, bytes: data)
            return coding.defaultValue
        }
    }

    private func load<Value>(_ coding: ValueCoding<Value>) throws -> Value {
        let data = try bytes(for: coding.key)
        do throws(SettingsError) {
            return try coding.value(for: data)
        } catch {
            throw error.completed(key: nil, store: storeDescription)
        }
    }

    private func bytes(for key: SettingsService.StorageKey) throws(SettingsError) -> Data? {
        do {
            return try get(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: storeDescription)
        }
    }

    /// Stores a value under a key, and calls the hooks of the key and of its namespace.
    ///
    /// Setting an equal value does nothing. A problem is reported to ``SettingsService/DiagnosticSink/standard``, and
    /// the old value stays; `save` throws it.
    public func set<Key: SettingKey & Sendable>(_ key: Key, value: Key.Value) where Key.Value: Codable & Sendable {
        set(SettingsService.Setting(key), value: value)
    }

    /// Stores a setting's value, as `set` with a key of your own does.
    public func set<T>(_ setting: SettingsService.Setting<T>, value: T) {
        StoreServices.service(over: self).set(setting, to: value)
    }

    /// Stores a value under a key, and throws what went wrong.
    ///
    /// - Throws: ``SettingsError``; the old value then is still there.
    public func save<Key: SettingKey & Sendable>(_ key: Key, value: Key.Value) throws
    where Key.Value: Codable & Sendable {
        try save(SettingsService.Setting(key), value: value)
    }

    /// Stores a setting's value, and throws what went wrong.
    ///
    /// - Throws: ``SettingsError``; the old value then is still there.
    public func save<T>(_ setting: SettingsService.Setting<T>, value: T) throws {
        try StoreServices.service(over: self).save(setting, to: value)
    }

    /// Removes everything that the store holds, also what this program has no setting for: to start afresh in a test, for
    /// example.
    ///
    /// A problem is reported to ``SettingsService/DiagnosticSink/standard``; a store that cannot list its keys is left as it is.
    public func clear() {
        StoreServices.service(over: self).reset(scope: .defaults)
    }

    /// Removes what is stored for all settings of a namespace, and of those inside it; also what this program has no
    /// setting for.
    public func clear(_ namespace: any SettingsNamespace.Type) {
        StoreServices.service(over: self).reset(namespace, in: .defaults)
    }
}

extension ValueCoding where Value: Codable {
    /// How the values of a key of your own are stored.
    convenience init<Key: SettingKey>(of key: Key) where Key.Value == Value {
        self.init(key: key.key, default: .constant(key.defaultValue), processing: nil, form: .form(of: key))
    }
}

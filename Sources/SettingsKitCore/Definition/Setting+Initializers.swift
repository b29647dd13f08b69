#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService.Setting {
    private convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)?,
        default: DefaultValue<T>, processing: (@Sendable (T) -> T)?, form: StoredForm<T>
    ) {
        let key = namespace.map { SettingsService.StorageKey(name, namespace: $0, scope: scope) }
        self.init(
            key: key ?? .init(name, scope: scope), namespace: namespace, default: `default`, processing: processing,
            form: form, hooks: SettingHooks(namespace: namespace))
    }

    /// Defines a setting that is stored as JSON, or as it is if it is `Data`.
    ///
    /// - Parameters:
    ///   - name: The name in the store; not empty, without NUL.
    ///   - scope: The scope, which the service maps to a store.
    ///   - namespace: The namespace; `name` is then only the last part of the name in the store.
    ///   - default: The value while nothing is stored; evaluated once, here.
    ///   - processing: Processes each value before it is stored, for example to clamp it. Values that are already
    ///     stored are not processed.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), processing: processing,
            form: .standard)
    }

    /// Defines a setting whose default is computed each time it is needed.
    ///
    /// Use it for defaults that depend on the time or on other settings. `default` is called from any thread, without a
    /// lock, at each read while nothing is stored. It should be quick and must not read its own setting.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        default: @escaping @Sendable () -> T, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .computed(`default`), processing: processing,
            form: .standard)
    }

    /// Defines a setting that `transformer` encodes.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        transformer: some Transformer<T, Data>, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), processing: processing,
            form: StoredForm(transformer))
    }

    /// Defines a setting with a computed default that `transformer` encodes.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        default: @escaping @Sendable () -> T, transformer: some Transformer<T, Data>,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .computed(`default`), processing: processing,
            form: StoredForm(transformer))
    }
}

extension SettingsService.Setting where T: ExpressibleByNilLiteral {
    /// Defines an optional setting whose default is nil.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(name, in: scope, namespace: namespace, default: nil as T, processing: processing)
    }

    /// Defines an optional setting whose default is nil, and which `transformer` encodes.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        transformer: some Transformer<T, Data>, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: nil as T, transformer: transformer, processing: processing)
    }
}

extension SettingsService.Setting {
    /// Makes a setting from a custom key, for services, property wrappers and listeners.
    ///
    /// The key's default is read once, here. Services that change the setting call the key's functions as
    /// ``SettingKey`` describes.
    public convenience init<Key: SettingKey & Sendable>(_ key: Key) where Key.Value == T {
        self.init(
            key: key.key, namespace: key.namespace, default: .constant(key.defaultValue),
            processing: { key.process($0) }, form: .form(of: key),
            hooks: SettingHooks(
                namespace: key.namespace, willChange: { key.willChange($0, newValue: $1) },
                didChange: { key.didChange($0, newValue: $1) }))
    }
}

extension SettingsService.Setting: SettingKey {
    /// The type of the setting's value.
    public typealias Value = T

    /// The setting's stored form, as a transformer; never nil.
    public var transformer: (any Transformer<T, Data>)? { coding.form }

    /// The value to store when `value` is set.
    public func process(_ value: T) -> T { coding.process(value) }

    /// Calls the custom key's function before a change.
    public func willChange(_ oldValue: T, newValue: T) { hooks?.willChange?(oldValue, newValue) }

    /// Calls the custom key's function after a change.
    public func didChange(_ oldValue: T, newValue: T) { hooks?.didChange?(oldValue, newValue) }
}

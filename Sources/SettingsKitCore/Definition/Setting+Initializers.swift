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

    /// Defines a setting that is stored as JSON (`Data` as it is).
    ///
    /// - Parameters:
    ///   - name: The name it is stored under; not empty, without NUL.
    ///   - scope: Which of the service's stores holds it.
    ///   - namespace: Which names it is among; `name` is then only the last part of the name in the store.
    ///   - default: What it reads as while nothing is stored; evaluated once, here.
    ///   - processing: Applied to each value before it is stored, to clamp it for example. Values that are already
    ///     stored are not processed.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), processing: processing,
            form: .standard)
    }

    /// Defines a setting whose default is computed each time that it is needed.
    ///
    /// For defaults that depend on the moment or on other settings. `default` is called from any thread, without a lock
    /// held, on each read while nothing is stored; it should be quick and must not read the setting it is the default of.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        default: @escaping @Sendable () -> T, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .computed(`default`), processing: processing,
            form: .standard)
    }

    /// Defines a setting that is stored in the form that `transformer` gives it.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        transformer: some Transformer<T, Data>, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), processing: processing,
            form: StoredForm(transformer))
    }

    /// Defines a setting with a computed default, stored in the form that `transformer` gives it.
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

    /// Defines an optional setting whose default is nil, stored in the form that `transformer` gives it.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        transformer: some Transformer<T, Data>, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: nil as T, transformer: transformer, processing: processing)
    }
}

extension SettingsService.Setting {
    /// Makes a setting of a key of your own, for services, property wrappers and listeners.
    ///
    /// The key's default is asked for once, here. Its functions are called as ``SettingKey`` says, by whichever service the
    /// setting is changed through.
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

    /// What is stored when `value` is set.
    public func process(_ value: T) -> T { coding.process(value) }

    /// Calls what the key that the setting was made of does before a change.
    public func willChange(_ oldValue: T, newValue: T) { hooks?.willChange?(oldValue, newValue) }

    /// Calls what the key that the setting was made of does after a change.
    public func didChange(_ oldValue: T, newValue: T) { hooks?.didChange?(oldValue, newValue) }
}

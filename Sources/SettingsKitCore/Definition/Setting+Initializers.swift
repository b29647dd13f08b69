#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService.Setting {
    private convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)?,
        default: SettingsService.DefaultValue<T>, form: StoredForm<T>,
        _ validation: SettingsService.Validation<T>?, _ help: String?, _ isSecret: Bool,
        _ processing: (@Sendable (T) -> T)? = nil
    ) {
        let key = namespace.map { SettingsService.StorageKey(name, namespace: $0, scope: scope) }
        let coding = ValueCoding(
            key: key ?? .init(name, scope: scope), default: `default`, form: form,
            validation: isSecret ? validation?.hidingValues : validation, processing: processing)
        self.init(
            coding: coding, namespace: namespace, hooks: SettingHooks(namespace: namespace), help: help,
            isSecret: isSecret)
    }

    /// Defines a setting that is stored as JSON, or unchanged if it is `Data`.
    ///
    /// - Parameters:
    ///   - name: The name in the store; not empty, without NUL.
    ///   - scope: The scope, which the service maps to a store.
    ///   - namespace: The namespace; `name` is then only the last part of the name in the store.
    ///   - default: The value while no value is stored; evaluated once, here. It is not validated.
    ///   - validation: The condition that values must meet.
    ///   - help: The purpose of the setting, in a sentence, for people who configure the program.
    ///   - isSecret: Whether tables, exports and messages show `•••` in place of the value.
    ///   - processing: Processes each value before it is validated and stored, for example to clamp it. Values that are already
    ///     stored are not processed.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        validation: SettingsService.Validation<T>? = nil, help: String? = nil, isSecret: Bool = false,
        processing: (@Sendable (T) -> T)? = nil
    ) where T: Codable {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), form: .standard, validation, help,
            isSecret, processing)
    }

    /// Defines a setting with a default that a closure computes, on each use or once.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        default: SettingsService.DefaultValue<T>, validation: SettingsService.Validation<T>? = nil, help: String? = nil,
        isSecret: Bool = false, processing: (@Sendable (T) -> T)? = nil
    ) where T: Codable {
        self.init(
            name, in: scope, namespace: namespace, default: `default`, form: .standard, validation, help,
            isSecret, processing)
    }

    /// Defines a setting that `transformer` encodes.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil, default: T,
        transformer: some Transformer<T, Data>, validation: SettingsService.Validation<T>? = nil, help: String? = nil,
        isSecret: Bool = false, processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(`default`), form: StoredForm(transformer),
            validation, help,
            isSecret, processing)
    }

    /// Defines a setting that `transformer` encodes, with a default that a closure computes.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        default: SettingsService.DefaultValue<T>, transformer: some Transformer<T, Data>,
        validation: SettingsService.Validation<T>? = nil, help: String? = nil, isSecret: Bool = false,
        processing: (@Sendable (T) -> T)? = nil
    ) {
        self.init(
            name, in: scope, namespace: namespace, default: `default`, form: StoredForm(transformer), validation, help,
            isSecret, processing)
    }

    /// Defines an optional setting whose default is nil.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        validation: SettingsService.Validation<T>? = nil, help: String? = nil, isSecret: Bool = false,
        processing: (@Sendable (T) -> T)? = nil
    ) where T: Codable & ExpressibleByNilLiteral {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(nil), form: .standard, validation, help,
            isSecret, processing)
    }

    /// Not available: tells a program that it lacks a default.
    @available(*, unavailable, message: "A setting that is not optional needs a default.")
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        validation: SettingsService.Validation<T>? = nil, help: String? = nil, isSecret: Bool = false,
        processing: (@Sendable (T) -> T)? = nil
    ) where T: Codable { preconditionFailure("It is not available.") }

    /// Defines an optional setting that `transformer` encodes and whose default is nil.
    public convenience init(
        _ name: String, in scope: SettingsService.Scope, namespace: (any SettingsNamespace.Type)? = nil,
        transformer: some Transformer<T, Data>, validation: SettingsService.Validation<T>? = nil, help: String? = nil,
        isSecret: Bool = false, processing: (@Sendable (T) -> T)? = nil
    ) where T: ExpressibleByNilLiteral {
        self.init(
            name, in: scope, namespace: namespace, default: .constant(nil), form: StoredForm(transformer), validation,
            help,
            isSecret, processing)
    }
}

extension SettingsService.Setting {
    /// Creates a setting from a custom key, for services, property wrappers and listeners.
    ///
    /// The key's default is read once, here. Services that change the setting call the key's functions, as ``SettingKey``
    /// describes.
    public convenience init<Key: SettingKey & Sendable>(_ key: Key) where Key.Value == T, T: Codable {
        self.init(
            key: key.key, namespace: key.namespace, default: .constant(key.defaultValue), form: .form(of: key),
            processing: { key.process($0) },
            hooks: SettingHooks(
                namespace: key.namespace, willChange: { key.willChange($0, newValue: $1) },
                didChange: { key.didChange($0, newValue: $1) }))
    }
}

extension SettingsService.Setting {
    /// Defines a setting with the value of a record's field.
    convenience init(
        field key: SettingsService.StorageKey, default: T, form: StoredForm<T>,
        validation: SettingsService.Validation<T>?, help: String?, isSecret: Bool,
        whenInvalidated: (@Sendable () -> Void)?
    ) {
        let coding = ValueCoding(
            key: key, default: .constant(`default`), form: form,
            validation: isSecret ? validation?.hidingValues : validation)
        self.init(
            coding: coding, namespace: nil, hooks: nil, help: help, isSecret: isSecret, whenInvalidated: whenInvalidated
        )
    }
}

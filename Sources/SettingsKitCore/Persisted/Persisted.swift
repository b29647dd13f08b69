#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property whose value is a setting.
///
/// ```swift
/// final class Player {
///     @Persisted(.volume, in: settings) var volume
///     @Persisted(key: "foo-bar", storedBy: UserDefaultsStore.standard) var bar: String?
///     @Persisted(key: "retries", storedBy: store, transformer: JSONTransformer()) var retries = 3
/// }
/// ```
///
/// It works in classes, structures and actors, and as a local variable. Reading costs what reading through a handle costs;
/// setting is ``SettingsService/set(_:to:)``. The projected value, `player.$bar`, is a ``Persister``: listeners, sequences,
/// and reading and writing that throw.
///
/// To inject the store, declare the property without arguments and set the wrapper in an initialiser:
///
/// ```swift
/// final class Player {
///     @Persisted var bar: String?
///
///     init(store: some SettingsStore) {
///         _bar = Persisted(key: "foo-bar", storedBy: store)
///     }
/// }
/// ```
///
/// Straight over a store, `key` is the name in the store. All who use one store object share what is kept in memory of
/// it, and hear of each other's changes.
@propertyWrapper
public struct Persisted<Value: Codable & Sendable>: Sendable {
    /// What reads, writes and watches the value.
    public let projectedValue: Persister<Value>

    /// The value, or the default when none is stored; setting it stores it. See ``Persister/value``.
    public var wrappedValue: Value {
        @inlinable get { projectedValue.value }
        nonmutating set { projectedValue.value = newValue }
    }

    /// A property whose value is a setting of a service.
    ///
    /// - Parameter persistDefault: Whether reading stores the default.
    public init(
        _ setting: SettingsService.Setting<Value>, in service: SettingsService,
        persistDefault: PersistDefault = .never
    ) {
        projectedValue = Persister(setting, in: service, persistDefault: persistDefault)
    }

    /// A property straight over a store; its initial value is its default.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default.
    ///   - key: The name in the store: not empty, without NUL.
    ///   - store: Where the value is.
    ///   - persistDefault: Whether reading stores the default.
    public init(
        wrappedValue: Value, key: String, storedBy store: any SettingsStore, persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .constant(wrappedValue), .standard, persistDefault)
    }

    /// A property straight over a store, stored in the form that `transformer` gives it; its initial value is its default.
    public init(
        wrappedValue: Value, key: String, storedBy store: any SettingsStore, transformer: some Transformer<Value, Data>,
        persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .constant(wrappedValue), StoredForm(transformer), persistDefault)
    }

    /// A property straight over a store.
    public init(
        key: String, storedBy store: any SettingsStore, default: Value, persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .constant(`default`), .standard, persistDefault)
    }

    /// A property straight over a store, stored in the form that `transformer` gives it.
    public init(
        key: String, storedBy store: any SettingsStore, default: Value, transformer: some Transformer<Value, Data>,
        persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .constant(`default`), StoredForm(transformer), persistDefault)
    }

    /// A property straight over a store, with a default that is computed each time that it is needed: on reading, while
    /// nothing is stored.
    ///
    /// `default` is called from any thread, by as many at once as read at once, with no lock held.
    public init(
        key: String, storedBy store: any SettingsStore, default: @escaping @Sendable () -> Value,
        persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .computed(`default`), .standard, persistDefault)
    }

    /// A property straight over a store, with a computed default, stored in the form that `transformer` gives it.
    public init(
        key: String, storedBy store: any SettingsStore, default: @escaping @Sendable () -> Value,
        transformer: some Transformer<Value, Data>, persistDefault: PersistDefault = .never
    ) {
        self.init(key, store, .computed(`default`), StoredForm(transformer), persistDefault)
    }

    private init(
        _ name: String, _ store: any SettingsStore, _ default: DefaultValue<Value>, _ form: StoredForm<Value>,
        _ persistDefault: PersistDefault
    ) {
        let setting = SettingsService.Setting(
            key: .init(name, scope: .defaults), default: `default`, form: form)
        self.init(setting, in: StoreServices.service(over: store), persistDefault: persistDefault)
    }
}

extension Persisted where Value: ExpressibleByNilLiteral {
    /// An optional property straight over a store, whose default is nil.
    public init(key: String, storedBy store: any SettingsStore, persistDefault: PersistDefault = .never) {
        self.init(key: key, storedBy: store, default: nil as Value, persistDefault: persistDefault)
    }

    /// An optional property straight over a store, whose default is nil, stored in the form that `transformer` gives it.
    public init(
        key: String, storedBy store: any SettingsStore, transformer: some Transformer<Value, Data>,
        persistDefault: PersistDefault = .never
    ) {
        self.init(
            key: key, storedBy: store, default: nil as Value, transformer: transformer, persistDefault: persistDefault)
    }
}

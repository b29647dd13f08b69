#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads and writes a setting as a property.
///
/// ```swift
/// final class Player {
///     @Persisted(.volume, in: settings) var volume
///     @Persisted(key: "foo-bar", storedBy: UserDefaultsStore.standard) var bar: String?
///     @Persisted(key: "retries", storedBy: store, transformer: JSONTransformer()) var retries = 3
/// }
/// ```
///
/// Observers of the Observation framework are notified of every change, as with a ``SettingsService/Value``. In an `@Observable`
/// class, declare the property `@ObservationIgnored @Persisted`: the wrapper itself notifies.
///
/// The wrapper works in classes, structures and actors, and as a local variable. Reading costs as much as reading a
/// ``SettingsService/Value``. Assigning calls ``SettingsService/set(_:to:)``. The projected value, `player.$bar`, is a
/// ``Persister``, with listeners, sequences, and functions that throw.
///
/// To inject the store, declare the property without arguments and set the wrapper in an initializer:
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
/// Without a service, `key` is the name in the store. All properties of one store object share their cached values, and each sees
/// the others' changes.
@propertyWrapper
public struct Persisted<Value: Sendable>: Sendable {
    /// Reads, writes and observes the value.
    public let projectedValue: Persister<Value>

    /// The value, or the default if none is stored. Assigning to it stores a value. See ``Persister/value``.
    public var wrappedValue: Value {
        @inlinable get { projectedValue.value }
        nonmutating set { projectedValue.value = newValue }
    }

    /// Creates a property for a setting of a service.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - service: The service that has the setting's store.
    public init(
        _ setting: SettingsService.Setting<Value>, in service: SettingsService
    ) {
        projectedValue = Persister(setting, in: service)
    }

    /// Creates a property for a value of a store. Its initial value is its default.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default.
    ///   - key: The name in the store: not empty, without NUL.
    ///   - store: The store of the value.
    public init(
        wrappedValue: Value, key: String, storedBy store: any SettingsStore
    ) where Value: Codable {
        self.init(key, store, wrappedValue, .standard)
    }

    /// Creates a property for a value of a store that `transformer` encodes. Its initial value is its default.
    public init(
        wrappedValue: Value, key: String, storedBy store: any SettingsStore, transformer: some Transformer<Value, Data>
    ) {
        self.init(key, store, wrappedValue, StoredForm(transformer))
    }

    private init(
        _ name: String, _ store: any SettingsStore, _ default: Value, _ form: StoredForm<Value>
    ) {
        projectedValue = Persister(name: name, store, .constant(`default`), form)
    }
}

extension Persisted where Value: ExpressibleByNilLiteral {
    /// Creates an optional property for a value of a store, whose default is nil.
    public init(key: String, storedBy store: any SettingsStore)
    where Value: Codable {
        self.init(key, store, nil, .standard)
    }

    /// Creates an optional property for a value of a store that `transformer` encodes, whose default is nil.
    public init(
        key: String, storedBy store: any SettingsStore, transformer: some Transformer<Value, Data>
    ) {
        self.init(key, store, nil, StoredForm(transformer))
    }
}

/// Two properties are equal if their values are, so that a structure with such properties can be `Equatable`.
extension Persisted: Equatable where Value: Equatable {
    /// Returns whether two properties have equal values now.
    public static func == (one: Persisted, other: Persisted) -> Bool { one.wrappedValue == other.wrappedValue }
}

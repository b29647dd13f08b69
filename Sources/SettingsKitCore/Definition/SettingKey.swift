#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A setting with a custom type, which runs code around changes.
///
/// ```swift
/// struct LoudKey<Value: Codable & Sendable>: SettingKey {
///     let key: SettingsService.StorageKey
///     let defaultValue: Value
///
///     func didChange(_ oldValue: Value, newValue: Value) { print("\(key) has changed") }
/// }
/// ```
///
/// Two properties are required; the rest has default implementations. A store without a service accepts such a key like a setting
/// (`store.get(key)`, `store.set(key, to: value)`). For services, property wrappers and listeners, create a setting from it:
/// ``SettingsService/Setting/init(_:)``.
///
/// Writing requires the key type to be `Sendable`. The compiler infers that for a structure like this one, unless it is public.
///
/// Its functions are called on the thread that reads or makes a change, without a lock.
public protocol SettingKey<Value> {
    /// The type of the setting's value.
    associatedtype Value

    /// The name and the scope of the setting. A store without a service uses only the name.
    var key: SettingsService.StorageKey { get }

    /// The value while no value is stored.
    var defaultValue: Value { get }

    /// The namespace whose hooks run around changes; none by default. ``key`` already contains the namespace's name.
    var namespace: (any SettingsNamespace.Type)? { get }

    /// The transformer that encodes values. By default nil, for JSON (`Data` unchanged).
    var transformer: (any Transformer<Value, Data>)? { get }

    /// Processes each value before it is stored. By default, values are stored unchanged.
    func process(_ value: Value) -> Value

    /// Called before this program changes the stored value. By default, does nothing.
    ///
    /// Setting an equal value is no change. If another thread or process changes the setting at the same time, this is called
    /// again, with the value that is then the old one.
    func willChange(_ oldValue: Value, newValue: Value)

    /// Called after this program has changed the stored value. By default, does nothing.
    ///
    /// To react to other programs' changes, use listeners. Use them also for values that are removed with a scope, a namespace or a
    /// store, because such a removal does not use keys.
    func didChange(_ oldValue: Value, newValue: Value)
}

extension SettingKey {
    /// Returns nil.
    public var namespace: (any SettingsNamespace.Type)? { nil }

    /// Returns nil, for JSON.
    public var transformer: (any Transformer<Value, Data>)? { nil }

    /// Returns the value itself.
    public func process(_ value: Value) -> Value { value }

    /// Does nothing.
    public func willChange(_ oldValue: Value, newValue: Value) {}

    /// Does nothing.
    public func didChange(_ oldValue: Value, newValue: Value) {}
}

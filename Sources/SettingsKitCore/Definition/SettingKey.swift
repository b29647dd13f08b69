#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A setting as a type of your own: with what is to happen around its changes.
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
/// ``SettingsService/Setting`` is one, too. Two properties are required; the rest has default implementations. A bare
/// store takes any key (`store.get(key)`, `store.set(key, value: value)`); for services, property wrappers and listeners, make a
/// setting of it: ``SettingsService/Setting/init(_:)``.
///
/// To be written with, a key type has to be `Sendable`, too; the compiler knows that of a structure like this one, unless it
/// is public.
///
/// Its functions are called on the thread that reads or makes a change, with no lock held.
public protocol SettingKey<Value> {
    /// The type of the setting's value.
    associatedtype Value

    /// The name and the scope of the setting. A bare store looks at the name alone.
    var key: SettingsService.StorageKey { get }

    /// What the setting reads as while nothing is stored.
    var defaultValue: Value { get }

    /// The namespace whose hooks are called around changes; none unless you implement it. The namespace's name is part of
    /// ``key`` already.
    var namespace: (any SettingsNamespace.Type)? { get }

    /// How values become bytes and come back; nil, the default, for JSON (`Data` as it is).
    var transformer: (any Transformer<Value, Data>)? { get }

    /// Applied to each value before it is stored; values are stored as they are unless you implement it.
    func process(_ value: Value) -> Value

    /// Called before this program changes the stored value; does nothing unless you implement it.
    ///
    /// Setting an equal value is no change. When somebody else changes the setting at the same moment, it is called again,
    /// with the value that is the old one then.
    func willChange(_ oldValue: Value, newValue: Value)

    /// Called after this program has changed the stored value; does nothing unless you implement it.
    ///
    /// For changes by others there are listeners; also for what goes when a scope, a namespace or a store is cleared,
    /// which looks at no key.
    func didChange(_ oldValue: Value, newValue: Value)
}

extension SettingKey {
    /// None.
    public var namespace: (any SettingsNamespace.Type)? { nil }

    /// None: JSON.
    public var transformer: (any Transformer<Value, Data>)? { nil }

    /// The value itself.
    public func process(_ value: Value) -> Value { value }

    /// Does nothing.
    public func willChange(_ oldValue: Value, newValue: Value) {}

    /// Does nothing.
    public func didChange(_ oldValue: Value, newValue: Value) {}
}

import Observation

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads, writes and observes one setting. It is the projected value of a ``Persisted`` property.
///
/// ```swift
/// let subscription = player.$bar.observe { change in ... }
/// for await bar in player.$bar.values { ... }
/// player.$retries.update { $0 += 1 }
/// try player.$bar.save("new")
/// ```
///
/// Observers of the Observation framework that read ``value`` are notified of every change, as with a ``SettingsService/Value``.
/// Use it from any thread. It keeps the service or the store alive. It has no copy of the value: all persisters, services and
/// handles of one stored value see the same.
public final class Persister<Value: Sendable>: Observable, Sendable {
    package let service: SettingsService
    package let setting: SettingsService.Setting<Value>
    @usableFromInline let cached: Slot<Value>

    /// Creates a persister for a setting in a service.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - service: The service that has the setting's store.
    public init(
        _ setting: SettingsService.Setting<Value>, in service: SettingsService
    ) {
        self.service = service
        self.setting = setting
        cached = service.slot(for: setting)
    }

    /// Creates a persister for a value of a store.
    ///
    /// - Parameters:
    ///   - key: The name in the store: not empty, without NUL.
    ///   - store: The store of the value.
    ///   - default: The value while nothing is stored.
    public convenience init(
        key: String, storedBy store: any SettingsStore, default: Value
    ) where Value: Codable {
        self.init(name: key, store, .constant(`default`), .standard)
    }

    /// Creates a persister for a value of a store that `transformer` encodes.
    public convenience init(
        key: String, storedBy store: any SettingsStore, default: Value, transformer: some Transformer<Value, Data>
    ) {
        self.init(name: key, store, .constant(`default`), StoredForm(transformer))
    }

    /// Creates a persister for an optional value of a store, whose default is nil.
    public convenience init(key: String, storedBy store: any SettingsStore)
    where Value: Codable & ExpressibleByNilLiteral {
        self.init(name: key, store, .constant(nil), .standard)
    }

    convenience init(
        name: String, _ store: any SettingsStore, _ default: SettingsService.DefaultValue<Value>,
        _ form: StoredForm<Value>
    ) {
        let setting = SettingsService.Setting(key: .init(name, scope: .defaults), default: `default`, form: form)
        self.init(setting, in: StoreServices.service(over: store))
    }

    /// The setting's name and scope.
    public var key: SettingsService.StorageKey { setting.key }

    /// The value while nothing is stored.
    public var defaultValue: Value { setting.defaultValue }

    /// The value, or the default if none is stored. Assigning to it calls ``set(_:)``.
    ///
    /// Reading never throws and never waits for a file. The service diagnoses errors of reading and writing. Without a service,
    /// they are reported to ``SettingsService/DiagnosticSink/standard``.
    public var value: Value {
        @inlinable get { cached.tracked { cached.cached.read() ?? cached.refreshedValue() } }
        set { set(newValue) }
    }

    /// Returns the value in the store, or the default if none is stored.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore`, `readFailed` or `decodingFailed`.
    public func load() throws -> Value { try service.load(setting) }

    /// Stores a value. Errors are diagnosed, and the old value stays; ``save(_:)`` throws them.
    public func set(_ newValue: Value) { service.set(setting, to: newValue) }

    /// Stores a value.
    ///
    /// - Throws: ``SettingsError``; the old value stays.
    public func save(_ newValue: Value) throws { try service.save(setting, to: newValue) }

    /// Changes the value in place and loses no concurrent change, as ``SettingsService/update(_:_:)`` does.
    ///
    /// - Throws: the error of `body`; the old value stays.
    /// - Returns: the result of the run that was applied; nil if the old value stays because of a problem, which is diagnosed.
    @discardableResult
    public func update<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R? {
        try service.update(setting, body)
    }

    /// Removes the stored value, so that the value is the default again. Errors are diagnosed, and the stored value stays;
    /// ``remove()`` throws them.
    public func reset() { service.reset(setting) }

    /// Removes the stored value, so that the value is the default again.
    ///
    /// - Throws: ``SettingsError``; the stored value stays.
    public func remove() throws { try service.remove(setting) }

    // MARK: Listening

    /// Calls `body` after each change, local or external, until the subscription is cancelled or released, as
    /// ``SettingsService/observe(_:_:)`` does.
    public func observe(
        _ body: @escaping @Sendable (SettingsService.Change<Value>) -> Void
    ) -> SettingsService.Subscription {
        service.observe(setting, body)
    }

    /// Returns the current value, then the newest value after each change.
    ///
    /// A slow reader skips values, and always receives the newest. The sequence ends when its task is cancelled.
    public var values: SettingsService.Stream<Value> {
        service.values(of: setting) { [self] in cached.cached.read() ?? cached.refreshedValue() }
    }

    /// Returns every change, in order, as ``SettingsService/changes(of:)`` does.
    public var changes: SettingsService.Stream<SettingsService.Change<Value>> { service.changes(of: setting) }
}

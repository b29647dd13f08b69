#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads, writes and watches one setting: what is behind a ``Persisted`` property, as its projected value.
///
/// ```swift
/// let subscription = player.$bar.addUpdateListener { result in ... }
/// for await bar in player.$bar.updates { ... }
/// try player.$bar.persist("new")
/// ```
///
/// It may be used from any thread, and keeps the service or the store alive. It holds no value of its own: any number of
/// persisters, services and handles may be over one stored value, and all see the same.
public final class Persister<Value: Codable & Sendable>: Sendable {
    package let service: SettingsService
    package let setting: SettingsService.Setting<Value>
    private let persistDefault: PersistDefault
    @usableFromInline let cached: CachedSettingValue<Value>

    /// A persister of a setting in a service.
    ///
    /// - Parameter persistDefault: Whether reading stores the default.
    public init(
        _ setting: SettingsService.Setting<Value>, in service: SettingsService,
        persistDefault: PersistDefault = .never
    ) {
        // A default that is to be stored must not be kept in memory as if it were: then reading would not get here.
        let setting =
            persistDefault == .never
            ? setting
            : SettingsService.Setting(
                coding: setting.coding.withoutConstantDefault, namespace: setting.namespace, hooks: setting.hooks)
        self.service = service
        self.setting = setting
        self.persistDefault = persistDefault
        cached = service.cachedSetting(for: setting)
    }

    /// The setting's name and scope.
    public var key: SettingsService.StorageKey { setting.key }

    /// What the setting reads as while nothing is stored.
    public var defaultValue: Value { setting.defaultValue }

    /// The value, or the default when none is stored; setting it stores it.
    ///
    /// Reading never throws and never waits for a file; what goes wrong, in reading or in writing, is diagnosed by the
    /// service (straight over a store: told to ``SettingsService/DiagnosticSink/standard``), and told to update
    /// listeners where it was a value that could not be stored.
    public var value: Value {
        @inlinable get { cached.cached.read() ?? valueThroughStore() }
        set { service.set(setting, to: newValue) }
    }

    @usableFromInline func valueThroughStore() -> Value {
        if persistDefault == .never { return cached.refreshedValue() }
        do throws(SettingsError) {
            try settle(storedData())
        } catch {
            service.connections.diagnostics.reportOnce(error)
        }
        return cached.refreshedValue()
    }

    /// The value as the store has it now, or the default when none is stored.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore`, `readFailed` or `decodingFailed`; with the codes of
    ///   ``persist(_:)`` where the default is to be stored and cannot be.
    public func retrieve() throws -> Value {
        if persistDefault != .never { try settle(storedData()) }
        return try service.load(setting)
    }

    /// Stores a value.
    ///
    /// - Throws: ``SettingsError``; the old value then is still there.
    public func persist(_ newValue: Value) throws {
        try service.save(setting, to: newValue)
    }

    /// Removes what is stored, so that the value is the default again.
    ///
    /// - Throws: ``SettingsError``; what is stored then is still there.
    public func reset() throws {
        try service.remove(setting, isKept: false)
    }

    private func storedData() throws(SettingsError) -> Data? {
        try cached.connection.read(setting.key)
    }

    /// Stores the default in the place of `data`, if it is to be stored there, and if nothing else was stored meanwhile.
    private func settle(_ data: Data?) throws(SettingsError) {
        if data == nil, !persistDefault.contains(.whenNil) { return }
        if data != nil {
            guard persistDefault.contains(.onError) else { return }
            do throws(SettingsError) {
                _ = try setting.coding.value(for: data)
                return
            } catch  where error.code == .decodingFailed {
                // It is lost when the default takes its place, so it must be reported.
                cached.connection.reportOnce(error, bytes: data)
            }
        }
        try service.replace(data, of: setting, by: defaultValue)
    }

    // MARK: Listening

    /// Calls `listener` after each update: with the change, or with what went wrong.
    ///
    /// On success it receives the values before encoding and after decoding, whatever transformers do, in the order in
    /// which they were stored, local or external. Failures are those of storing a value of this setting through this
    /// service, and of reading external changes. Storing the same value again is no update.
    ///
    /// The listener is called for one update at a time, with no lock held: it may read, set (it is notified of that after
    /// it has returned), add listeners and cancel them. Listening ends when the subscription is cancelled or released, so
    /// hold on to it.
    public func addUpdateListener(
        _ listener: @escaping @Sendable (Result<SettingsService.Change<Value>, SettingsError>) -> Void
    ) -> SettingsService.Subscription {
        service.observeResults(setting, listener)
    }

    /// The current value, then the newest one each time that it has changed.
    ///
    /// A reader that is slower than the changes skips values, and always gets the newest. The sequence ends when its task
    /// is cancelled. It reads as ``value`` does, and so stores the default where reading is to store it.
    public var updates: SettingsService.Stream<Value> {
        service.values(of: setting) { [self] in value }
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a service caches of one setting, as far as it does not depend on the type of its value.
///
/// A setting has a ``CachedSettingValue``, a field of a record a ``CachedField``. Values are passed as `any Sendable` here,
/// so that writing runs no unspecialized generic code but the encoding. Listeners, and what they know, are in the
/// connection's ``SettingEntry``.
protocol CachedSetting: AnyObject, Sendable {
    var name: String { get }
    /// Where the connection has the setting's entry.
    var slot: Int { get }

    /// Whether changes from outside are decoded before listeners are notified, so that one to undecodable bytes can be held
    /// back.
    var checksChangesFromOutside: Bool { get }

    /// Whether a value that is set is kept beside its bytes, because decoding those could give another value, or take long.
    var keepsSetValues: Bool { get }

    /// Finds the value that counts of what is stored; the default if nothing does.
    ///
    /// - Parameter set: The value that this program has set, if it is stored.
    func resolve(_ stored: StoredValue, set: SetValue?) -> Resolution<any Sendable>

    /// Why the setting does not accept a candidate; nil if it does.
    func problem(with candidate: SettingsStoreCandidate) -> SettingsError?

    /// Makes the cached value invalid, because other bytes are stored from now on. Called inside the connection's lock.
    ///
    /// - Parameter change: The change, which has what is stored.
    func invalidate(by change: borrowing SettingsStoreChange)

    /// Makes the cached value invalid, because it is not known what is stored.
    func invalidate()
}

/// What a service caches of one setting: the decoded value.
@usableFromInline final class CachedSettingValue<Value: Sendable>: CachedSetting, TrackedValue {
    /// The connection outlives the setting's use: a caller that reads, writes or listens holds the service, which holds the
    /// connection.
    unowned let connection: ScopeConnection
    let slot: Int
    let keepsSetValues: Bool
    private let key: SettingsService.StorageKey
    private let coding: ValueCoding<Value>
    @usableFromInline let cached = CachedValue<Value>()
    @usableFromInline let trackers = ValueTrackers()

    init(of setting: SettingsService.Setting<Value>, connection: ScopeConnection, slot: Int) {
        key = setting.key
        coding = setting.coding
        keepsSetValues = !setting.coding.form.isExact
        self.connection = connection
        self.slot = slot
    }

    var name: String { key.name }

    /// The setting's value; from memory where it is cached, otherwise through the store.
    @inlinable @inline(__always) func value() -> Value {
        cached.read() ?? refreshedValue()
    }

    /// Reads through the store, and caches the value if the store publishes all of its changes.
    ///
    /// A value that cannot be read or decoded is diagnosed. It reads as the last good one if it became undecodable from
    /// outside while the program runs, otherwise as the default.
    @usableFromInline @inline(never) func refreshedValue() -> Value {
        let token = cached.token
        if token & 1 == 0, let value = cached.read() { return value }
        do throws(SettingsError) {
            let (store, lastSet) = connection.storeAndLastSet(of: self)
            guard let store else { throw SettingsError(.noStore, key: key) }
            let stored = try store.read(key)
            if stored.isEmpty, case .once(let once) = coding.default.source {
                return storedDefault(once, in: store, token: token)
            }
            let resolution = coding.resolve(stored, set: lastSet) {
                connection.lastGoodData(insteadOf: $0, of: self, isReading: true)
            }
            connection.report(resolution.rejections)
            if resolution.candidate != nil, case .once(let once) = coding.default.source { once.forget() }
            cache(resolution.value, isDefault: resolution.candidate == nil, token: token)
            return resolution.value
        } catch {
            connection.diagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    /// Finds the value that counts: the last good one if it became undecodable from outside while the program runs.
    func resolution(of stored: StoredValue, set: SetValue? = nil) -> Resolution<Value> {
        coding.resolve(stored, set: set) { connection.lastGoodData(insteadOf: $0, of: self, isReading: false) }
    }

    /// Stores a default that is computed once, unless something else was stored meanwhile.
    ///
    /// - Returns: What is stored now.
    private func storedDefault(
        _ once: OnceValue<Value>, in store: ConnectedStore, token: UInt64
    ) -> Value {
        let value = once.value
        do throws(SettingsError) {
            try store.requireOpen()
            guard let data = try coding.bytesOfDefault(value) else { return value }
            let batch = SettingsStoreBatch(
                writes: [.init(key: key, data: data)], expectations: [StoredValue.nothing(in: store).entry(for: key)],
                options: .init(waitsForAgreement: false))
            _ = try store.apply(batch)
            // What is stored now: this value, decoded, or that of another process.
            let resolution = resolution(of: try store.read(key))
            if resolution.candidate == nil { return value }
            once.forget()
            return resolution.value
        } catch {
            connection.diagnostics.reportOnce(error.completed(key: key, store: nil))
            // Until the store changes, so that not each read tries again.
            if connection.isExhaustive { cached.publish(value, token: token) }
            return value
        }
    }

    /// Caches a value, if it will be invalidated when it changes, and is not a default that can change unnoticed.
    private func cache(_ value: Value, isDefault: Bool, token: UInt64) {
        guard connection.isExhaustive, !isDefault || coding.hasConstantDefault else { return }
        cached.publish(value, token: token)
    }

    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        connection.listen(to: self, .signal(signal))
    }

    var checksChangesFromOutside: Bool { true }

    func resolve(_ stored: StoredValue, set: SetValue?) -> Resolution<any Sendable> {
        resolution(of: stored, set: set).erased
    }

    /// Whether a value counts in the place of a candidate that the setting does not accept.
    func hasLastGoodValue(insteadOf candidate: SettingsStoreCandidate) -> Bool {
        guard case let data?? = connection.lastGoodData(insteadOf: candidate, of: self, isReading: false) else {
            return false
        }
        return problem(with: SettingsStoreCandidate(data)) == nil
    }

    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? {
        do throws(SettingsError) {
            _ = try coding.value(of: candidate)
            return nil
        } catch {
            return error
        }
    }

    func invalidate(by change: borrowing SettingsStoreChange) { cached.invalidate() }

    func invalidate() { cached.invalidate() }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a setting's cache that does not depend on the type of its value.
///
/// A setting has a ``CachedSettingValue``, a field of a record a ``CachedField``. Values are passed as `any Sendable` here, so that
/// encoding is the only unspecialized generic code that a write runs. The connection's ``SettingEntry`` has the listeners and their
/// state.
protocol CachedSetting: AnyObject, Sendable {
    var name: String { get }
    /// The slot of the setting's entry in the connection.
    var slot: Int { get }

    /// Whether external changes are decoded before listeners are notified, so that a change to undecodable bytes can be held back.
    var checksChangesFromOutside: Bool { get }

    /// Whether a set value is kept beside its bytes, because decoding those may give another value or take long.
    var keepsSetValues: Bool { get }

    /// Returns the value in force among the stored ones, or the default if there is none.
    ///
    /// - Parameter set: The value that this program has set, if it is stored.
    func resolve(_ stored: StoredValue, set: SetValue?) -> Resolution<any Sendable>

    /// Returns why the setting rejects a candidate; nil if it accepts it.
    func problem(with candidate: SettingsStoreCandidate) -> SettingsError?

    /// Invalidates the cached value, because the stored bytes have changed. Called inside the connection's lock.
    ///
    /// - Parameter change: The change, with the stored bytes.
    func invalidate(by change: borrowing SettingsStoreChange)

    /// Invalidates the cached value, because the stored bytes are unknown.
    func invalidate()
}

/// The cache of one setting: the decoded value.
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

    /// Returns the setting's value: from memory if it is cached, otherwise from the store.
    @inlinable @inline(__always) func value() -> Value {
        cached.read() ?? refreshedValue()
    }

    /// Increases with each change of the stored value, but not when it is cached.
    var moment: UInt64 { (cached.token &- 1) | 1 }

    /// Reads the value from the store, and caches it if the store publishes all of its changes.
    ///
    /// A value that cannot be read or decoded is diagnosed. If an external change made it undecodable while the program runs, the
    /// last good value is returned, otherwise the default.
    @usableFromInline @inline(never) func refreshedValue() -> Value { refreshedValue(attempt: 1) }

    private func refreshedValue(attempt: Int) -> Value {
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
            // The last good value is forgotten once the bytes that it replaces are. Then the default has never been in force.
            let isOutdated = resolution.candidate == nil && !resolution.rejections.isEmpty && cached.token != token
            if isOutdated, attempt < CoreLimits.readingAttempts {
                return refreshedValue(attempt: attempt + 1)
            }
            if resolution.candidate != nil, case .once(let once) = coding.default.source { once.forget() }
            cache(resolution.value, isDefault: resolution.candidate == nil, token: token)
            return resolution.value
        } catch {
            connection.diagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    /// Returns the value in force: the last good one if an external change made it undecodable while the program runs.
    func resolution(of stored: StoredValue, set: SetValue? = nil) -> Resolution<Value> {
        coding.resolve(stored, set: set) { connection.lastGoodData(insteadOf: $0, of: self, isReading: false) }
    }

    /// Stores a default that is computed once, unless another value was stored meanwhile.
    ///
    /// - Returns: The value that is now in force.
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
            // This value, decoded, or that of another process.
            let resolution = resolution(of: try store.read(key))
            if resolution.candidate == nil { return value }
            once.forget()
            return resolution.value
        } catch {
            connection.diagnostics.reportOnce(error.completed(key: key, store: nil))
            // Keep the value until the store changes, so that not every read tries again.
            if connection.isExhaustive { cached.publish(value, token: token) }
            return value
        }
    }

    /// Caches a value, if a change will invalidate it, and if it is not a default that can change without a notification.
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

    /// Returns whether another value is in force in place of a candidate that the setting rejects.
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

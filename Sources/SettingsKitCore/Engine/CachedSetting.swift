import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a setting's cache that does not depend on the type of its value.
///
/// A setting has a ``CachedSettingValue``, a field of a record a ``CachedField``. Values are passed as `any Sendable` here, so that
/// encoding is the only unspecialized generic code that a write runs. The connection's ``SettingCell`` has the listeners.
protocol CachedSetting: AnyObject, Sendable {
    var name: String { get }
    /// The slot of the setting's cell in the connection.
    var slot: Int { get }

    /// Whether the setting judges stored bytes, and keeps the value before if it rejects external ones. A record judges its fields
    /// itself.
    var isJudged: Bool { get }

    /// Whether the program has read the setting, or listened to it.
    var isUsed: Bool { get }

    /// Records that the program reads the setting, or listens to it.
    func recordUse()

    /// Whether a set value is kept beside its bytes, because decoding those may give another value or take long.
    var keepsSetValues: Bool { get }

    /// Whether releasing a value runs no `deinit` of a user.
    var hasPlainValues: Bool { get }

    /// The validity of the cached value: it changes with each invalidation.
    var token: UInt64 { get }

    /// Returns the cached value, if it is valid.
    func cachedValue() -> (any Sendable)?

    /// Judges a stored value, if the setting does.
    ///
    /// - Parameter last: What was in force before, so that nothing is decoded again.
    func judge(_ inForce: ValueInForce, after last: ValueInForce?) -> ValueInForce

    /// Returns why the setting rejects a candidate; nil if it accepts it.
    func problem(with candidate: SettingsStoreCandidate) -> SettingsError?

    /// Invalidates the cached value, because the stored bytes have changed. Called inside the connection's lock.
    ///
    /// - Parameter change: The change, with the stored bytes.
    func invalidate(by change: borrowing SettingsStoreChange)

    /// Invalidates the cached value, because the stored bytes are unknown.
    func invalidate()
}

extension CachedSetting {
    /// Increases with each change of the stored value, but not when it is cached.
    var moment: UInt64 { (token &- 1) | 1 }

    /// Returns the value in force of a store's value: the last good one in place of external bytes that the setting rejects.
    func resolution(of stored: StoredValue, in store: ConnectedStore) -> Resolution? {
        judge(ValueInForce(stored, named: name, after: store.feed.earlier), after: nil).resolution
    }
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
    private let used = Atomic(false)
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

    var token: UInt64 { cached.token }

    var isUsed: Bool { used.load(ordering: .relaxed) }

    func recordUse() { if !used.load(ordering: .relaxed) { used.store(true, ordering: .relaxed) } }

    /// Returns the value in force, and caches it if the store publishes all of its changes.
    ///
    /// A value that cannot be read, or that the setting rejects, is diagnosed.
    @usableFromInline @inline(never) func refreshedValue() -> Value {
        // The first reading of each setting comes here.
        recordUse()
        let isInside = runsForeignCode && Judgment.isMade(by: self)
        var begin: UInt64?
        do throws(SettingsError) {
            var attempts = 0
            while attempts < CoreLimits.readingAttempts {
                if let value = cached.read() { return value }
                switch connection.reading(of: self, since: &begin, isInside: isInside) {
                case .judging: if !connection.judgeNext(of: self) { attempts += 1 }
                case .value(let inForce, let token): return try value(of: inForce, token: token, isInside: isInside)
                case .store(let store, let token):
                    guard let store else { throw SettingsError(.noStore, key: key) }
                    if isInside { return coding.defaultValue }
                    if let value = try storedValue(in: store, token: token) { return value }
                    attempts += 1
                }
            }
            // The value changes all the time.
            return value(of: inForce(holding: try connection.requireStore(for: key).read(key)))
        } catch {
            connection.diagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    /// Returns a value in force that the connection keeps.
    private func value(of inForce: ValueInForce, token: UInt64?, isInside: Bool) throws(SettingsError) -> Value {
        if inForce.stored.isEmpty, case .once(let once) = coding.default.source {
            return storedDefault(once, in: try connection.requireStore(for: key), token: token ?? 0)
        }
        if let resolution = inForce.resolution {
            // A computed default may be another one now.
            let isKnown = resolution.candidate != nil || coding.hasConstantDefault
            return isKnown ? keep(inForce, token: token) : coding.defaultValue
        }
        if isInside { return coding.defaultValue }
        let judged = judge(inForce, after: nil)
        connection.report(judged.resolution?.rejections ?? [])
        if let token { connection.settle(judged, of: self, token: token) }
        return keep(judged, token: token)
    }

    /// Caches a judged value, if the store publishes all of its changes, and returns it.
    private func keep(_ inForce: ValueInForce, token: UInt64?) -> Value {
        let value = value(of: inForce)
        let isDefault = inForce.resolution?.candidate == nil
        if !isDefault, case .once(let once) = coding.default.source { once.forget() }
        // A default can change without a notification.
        if let token, connection.isExhaustive, !isDefault || coding.hasConstantDefault {
            cached.publish(value, token: token)
        }
        return value
    }

    /// Returns the value of what was judged.
    func value(of inForce: ValueInForce) -> Value {
        guard let value = inForce.resolution?.value as? Value else { return coding.defaultValue }
        return value
    }

    /// Returns the value in the store; nil if it must be read again.
    private func storedValue(in store: ConnectedStore, token: UInt64) throws(SettingsError) -> Value? {
        let stored = try store.read(key)
        if stored.isEmpty, case .once(let once) = coding.default.source {
            return storedDefault(once, in: store, token: token)
        }
        let inForce = judge(ValueInForce(stored, named: key.name, after: store.feed.earlier), after: nil)
        let rejections = inForce.resolution?.rejections ?? []
        // What the store held is forgotten once this process has written there. Then the default has never been in force. And a value
        // that was set meanwhile is not the decoded one.
        let isRejected = inForce.resolution?.candidate == nil && !rejections.isEmpty
        if connection.isExhaustive, isRejected || keepsSetValues, cached.token != token { return nil }
        if !rejections.isEmpty {
            connection.report(rejections)
            connection.settle(inForce, of: self, token: token)
        }
        return keep(inForce, token: token)
    }

    /// Returns what is in force, judged, of a stored value: the last good one in place of external bytes that the setting rejects.
    func inForce(holding stored: StoredValue) -> ValueInForce { judge(unjudged(stored), after: nil) }

    private func unjudged(_ stored: StoredValue) -> ValueInForce {
        ValueInForce(stored, named: key.name, after: connection.store?.feed.earlier)
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
                options: .ofSet)
            _ = try store.apply(batch)
            // This value, decoded, or that of another process.
            let inForce = inForce(holding: try store.read(key))
            if inForce.resolution?.candidate == nil { return value }
            once.forget()
            return self.value(of: inForce)
        } catch {
            connection.diagnostics.reportOnce(error.completed(key: key, store: nil))
            // Keep the value until the store changes, so that not every read tries again.
            if connection.isExhaustive { cached.publish(value, token: token) }
            return value
        }
    }

    @usableFromInline func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        connection.listen(to: self, .signal(signal))
    }

    var isJudged: Bool { true }

    /// Whether a user's code decodes or validates. Most types have none.
    private var runsForeignCode: Bool { !coding.form.isExact || coding.validation != nil }

    var hasPlainValues: Bool { _isPOD(Value.self) || Value.self == String.self }

    func cachedValue() -> (any Sendable)? { cached.read() }

    func judge(_ inForce: ValueInForce, after last: ValueInForce?) -> ValueInForce {
        if !runsForeignCode { return inForce.judged(by: coding, after: last) }
        return Judgment.make(by: self) { inForce.judged(by: coding, after: last) }
    }

    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? { coding.problem(with: candidate) }

    func invalidate(by change: borrowing SettingsStoreChange) { cached.invalidate() }

    func invalidate() { cached.invalidate() }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a service caches of one setting, as far as it does not depend on the type of its value.
///
/// A setting has a ``CachedSettingValue``, a field of a record a ``CachedField``. Values are passed as `any Sendable` here,
/// so that writing runs no unspecialised generic code but the encoding. Listeners, and what they know, are in the
/// connection's ``SettingEntry``.
protocol CachedSetting: AnyObject, Sendable {
    var name: String { get }
    /// Where the connection has the setting's entry.
    var slot: Int { get }

    /// Whether changes from outside are decoded before listeners are notified, so that one to undecodable bytes can be held
    /// back.
    var checksChangesFromOutside: Bool { get }

    /// Returns the value that bytes stand for, or the default and the reason, which is diagnosed.
    func decode(_ data: Data?) -> (value: any Sendable, problem: SettingsError?)

    /// Makes the cached value invalid, because other bytes are stored from now on. Called inside the connection's lock.
    ///
    /// - Parameter data: The stored bytes; nil if they are not known, because another store takes the place of the last.
    func invalidate(stored data: Data??)
}

/// What a service caches of one setting: the decoded value.
@usableFromInline final class CachedSettingValue<Value: Codable & Sendable>: CachedSetting {
    /// The connection outlives the setting's use: a caller that reads, writes or listens holds the service, which holds the
    /// connection.
    unowned let connection: ScopeConnection
    let slot: Int
    private let key: SettingsService.StorageKey
    private let coding: ValueCoding<Value>
    @usableFromInline let cached = CachedValue<Value>()

    init(of setting: SettingsService.Setting<Value>, connection: ScopeConnection, slot: Int) {
        key = setting.key
        coding = setting.coding
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
            let data = try store.get(key)
            if let value = value(of: lastSet, if: data) {
                cache(value, of: data, token: token)
                return value
            }
            let (value, origin): (Value, Data?)
            do throws(SettingsError) {
                (value, origin) = (try coding.value(for: data), data)
            } catch {
                (value, origin) = valueInForce(insteadOf: data, error)
            }
            cache(value, of: origin, token: token)
            return value
        } catch {
            connection.diagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    /// The last set value, if these are its bytes.
    private func value(of lastSet: SetValue?, if data: Data?) -> Value? {
        // In two steps: "no value" cast to an optional type would be its nil.
        guard let lastSet, lastSet.data == data else { return nil }
        return lastSet.value as? Value
    }

    /// The value that counts while undecodable bytes are stored, which are diagnosed, and the bytes that it was made of.
    func valueInForce(insteadOf data: Data?, _ error: SettingsError) -> (value: Value, origin: Data?) {
        connection.reportOnce(error, bytes: data)
        if case let lastGood?? = connection.lastGoodData(of: self) {
            do throws(SettingsError) {
                return (try coding.value(for: lastGood), lastGood)
            } catch {
                // The bytes from before were not a value either. They were diagnosed when they were read.
            }
        }
        return (coding.defaultValue, nil)
    }

    /// Caches a value, if it will be invalidated when it changes, and is not a default that can change unnoticed.
    private func cache(_ value: Value, of data: Data?, token: UInt64) {
        guard connection.isExhaustive, data != nil || coding.hasConstantDefault else { return }
        cached.publish(value, token: token)
    }

    var checksChangesFromOutside: Bool { true }

    func decode(_ data: Data?) -> (value: any Sendable, problem: SettingsError?) {
        do throws(SettingsError) {
            return (try coding.value(for: data), nil)
        } catch {
            connection.reportOnce(error, bytes: data)
            return (coding.defaultValue, error.completed(key: nil, store: connection.store?.description))
        }
    }

    func invalidate(stored data: Data??) { cached.invalidate() }
}

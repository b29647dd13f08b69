#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// @unchecked: inherited from AnyCell; the properties here are `let`s of Sendable types.
/// What a service keeps of one setting: the decoded value, and (in ``AnyCell``) who listens to it.
@usableFromInline final class Cell<Value: Codable & Sendable>: AnyCell, @unchecked Sendable {
    private let key: SettingsService.StorageKey
    private let coding: ValueCoding<Value>
    @usableFromInline let box: ValueBox<Value>

    init(of setting: SettingsService.Setting<Value>, channel: Channel) {
        key = setting.key
        coding = setting.coding
        box = ValueBox()
        super.init(name: setting.key.name, channel: channel, validity: box)
    }

    /// The setting's value; from memory where it is kept, else through the store.
    @inlinable @inline(__always) func value() -> Value {
        keptValue ?? refreshedValue()
    }

    /// The value, if it is in memory.
    @inlinable @inline(__always) var keptValue: Value? {
        // Without counting references, which takes longer than reading: the cell holds the box, and the caller the cell.
        Unmanaged.passUnretained(box)._withUnsafeGuaranteedRef { $0.read() }
    }

    /// Reads through the store, and keeps the value where the store announces its changes.
    ///
    /// A value that cannot be read or decoded is diagnosed. It reads as the last good one if it became undecodable from
    /// outside while the program runs, else as the default.
    @usableFromInline @inline(never) func refreshedValue() -> Value {
        let token = box.token
        if token & 1 == 0, let value = box.read() { return value }
        do throws(SettingsError) {
            let data = try channel.read(key, from: channel.hub)
            let (value, origin): (Value, Data?)
            do throws(SettingsError) {
                (value, origin) = (try coding.value(for: data), data)
            } catch {
                (value, origin) = valueInForce(insteadOf: data, error)
            }
            keep(value, of: origin, token: token)
            return value
        } catch {
            channel.diagnostics.reportOnce(error)
            return coding.defaultValue
        }
    }

    /// The value that counts while undecodable bytes are stored, which are diagnosed, and the bytes that it was made of.
    func valueInForce(insteadOf data: Data?, _ error: SettingsError) -> (value: Value, origin: Data?) {
        channel.reportOnce(error, bytes: data)
        if case let lastGood?? = lastGoodBytes {
            do throws(SettingsError) {
                return (try coding.value(for: lastGood), lastGood)
            } catch {
                // The bytes from before were no value, either; they were diagnosed when they were read.
            }
        }
        return (coding.defaultValue, nil)
    }

    override func decoded(_ data: Data?) -> (value: any Sendable, problem: SettingsError?) {
        do throws(SettingsError) {
            return (try coding.value(for: data), nil)
        } catch {
            channel.reportOnce(error, bytes: data)
            return (coding.defaultValue, error.completed(key: nil, store: channel.hub?.store.storeDescription))
        }
    }

    override var checksChangesFromOutside: Bool { true }

    /// Keeps a value that was offered, if it was committed and nothing has happened since.
    func settleOffer(_ value: Value, as data: Data?) {
        if let token = withdrawOffer(of: data) { keep(value, of: data, token: token) }
    }

    /// Keeps a value, if it will be invalidated when it changes, and is no default that can change unnoticed.
    private func keep(_ value: Value, of data: Data?, token: UInt64) {
        guard channel.announcesAllChanges.load(ordering: .acquiring), data != nil || coding.hasConstantDefault else {
            return
        }
        box.publish(value, token: token)
    }
}

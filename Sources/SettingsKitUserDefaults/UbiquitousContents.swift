import Foundation
import SettingsKitCore
import SettingsKitFiles
import Synchronization

/// The functions of iCloud's key-value store that ``UbiquitousContents`` uses.
protocol UbiquitousValues: Sendable {
    /// Returns the value stored under a name; nil if there is none.
    func value(named name: String) -> PropertyListValue?
    /// Stores a value under a name, or removes it.
    func set(_ value: PropertyListValue?, named name: String)
    /// All values that this device knows.
    var all: [String: PropertyListValue] { get }
    /// Passes changes to the system. False if the app lacks the entitlement.
    func synchronize() -> Bool
}

/// An announcement of iCloud's key-value store.
enum UbiquitousEvent: Sendable {
    /// Other devices have changed values, or the first values have arrived.
    case otherDevices
    /// Another account is signed in, so that any value may be another one.
    case otherAccount
    /// The app's values exceed iCloud's quota.
    case quotaViolation
}

/// The error that iCloud does not accept values.
private struct FullCloud: ValueFreeError {
    var description: String {
        "iCloud does not take more settings of this app. They stay on this device; remove some, or store large values elsewhere."
    }
}

/// Keeps settings in iCloud's key-value store, within its limits: the logic of `UbiquitousStore`, for all platforms.
final class UbiquitousContents: SettingsStore {
    let storeDescription: String
    private let values: any UbiquitousValues
    /// The known bytes under the names that were read. Locked while the system's store is used.
    private let access = Mutex<[String: Data?]>([:], .contents)
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)

    init(_ values: any UbiquitousValues, description: String) {
        self.values = values
        storeDescription = description
    }

    var feed: SettingsStoreFeed? { ownFeed }

    func get(_ key: SettingsService.StorageKey) -> Data? {
        access.withLock { seen in
            let data = read(key.name)
            // Only the first time: listeners have not been notified of a change that is read here.
            if seen[key.name] == nil { seen[key.name] = .some(data) }
            return data
        }
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        let isApplied = try access.withLock { seen in
            for entry in batch.expectations where read(entry.key.name) != entry.data { return false }
            if batch.writes.isEmpty { return true }
            try checkLimits(of: batch)
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let name = write.key.name
                let old = read(name)
                if let before = seen[name], before != old {
                    ownFeed.publish([.init(name: name, from: before, to: old)], origin: .external)
                    seen[name] = .some(old)
                }
                guard old != write.data else { continue }
                self.write(write.data, under: name)
                seen[name] = .some(write.data)
                changes.append(.init(name: name, from: old, to: write.data))
            }
            ownFeed.publish(changes, origin: .local)
            return true
        }
        ownFeed.flush()
        return isApplied
    }

    func keys() -> [String] { access.withLock { _ in Array(values.all.keys) } }

    func synchronize() throws {
        // Outside the lock: it may post a notification, whose observer takes the lock.
        guard values.synchronize() else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    /// Publishes and reports iCloud's announcements.
    ///
    /// - Parameter names: The names that may have changed.
    func notice(_ event: UbiquitousEvent, of names: [String]?) {
        switch event {
        case .otherDevices: noticeChanges(of: names)
        case .otherAccount: noticeChanges(of: nil)
        case .quotaViolation:
            ownFeed.report(SettingsError(.notSaved, store: storeDescription, underlying: FullCloud()))
            noticeChanges(of: names)
        }
    }

    /// Publishes changes of other devices.
    ///
    /// - Parameter names: The names that may have changed; nil for any name, as after a change of the account.
    func noticeChanges(of names: [String]?) {
        access.withLock { seen in
            let names = names ?? Array(Set(seen.keys).union(values.all.keys))
            let changes = names.compactMap { name -> SettingsStoreChange? in
                let now = read(name)
                let before = seen[name] ?? nil
                seen[name] = .some(now)
                return before == now ? nil : SettingsStoreChange(name: name, from: before, to: now)
            }
            ownFeed.publish(changes, origin: .external)
        }
        ownFeed.flush()
    }

    // MARK: Values

    private func composed(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    private func isTooLong(_ name: String) -> Bool { composed(name).utf8.count > UserDefaultsLimits.cloudName }

    /// Returns the bytes of a value: the stored ones, or JSON of a native value that other code has stored.
    private func read(_ name: String) -> Data? {
        // There cannot be a value with such a name.
        if isTooLong(name) { return nil }
        return values.value(named: composed(name)).map(NativeValue.bytes(of:))
    }

    private func write(_ data: Data?, under name: String) {
        let name = composed(name)
        guard let data else { return values.set(nil, named: name) }
        values.set(PropertyListValue.storable(data, resembling: values.value(named: name)), named: name)
        // The system may convert a value.
        if read(name) != data { values.set(.data(data), named: name) }
    }

    /// - Throws: `tooLarge` if a name is too long, or if the batch makes the store exceed its limits.
    private func checkLimits(of batch: SettingsStoreBatch) throws {
        var limited: SettingsStoreBatch.Entry?
        for write in batch.writes {
            guard write.data != nil else { continue }
            if isTooLong(write.key.name) {
                throw tooLarge(write.key, "a name of at most \(UserDefaultsLimits.cloudName) bytes in UTF-8")
            }
            limited = write
        }
        guard let limited else { return }
        let old = values.all.mapValues { NativeValue.bytes(of: $0).count }
        var new = old
        for write in batch.writes { new[composed(write.key.name)] = write.data?.count }
        // A store that is already too large may become smaller.
        if new.count > max(UserDefaultsLimits.cloudSettings, old.count) {
            throw tooLarge(limited.key, "at most \(UserDefaultsLimits.cloudSettings) settings in the store")
        }
        if Self.size(of: new) > max(UserDefaultsLimits.cloudSize, Self.size(of: old)) {
            throw tooLarge(
                limited.key, "at most \(UserDefaultsLimits.cloudSize) bytes of names and values in the store")
        }
    }

    private static func size(of sizes: [String: Int]) -> Int {
        sizes.reduce(0) { $0 + $1.key.utf8.count + $1.value }
    }

    private func tooLarge(_ key: SettingsService.StorageKey, _ expected: String) -> SettingsError {
        SettingsError(.tooLarge, key: key, store: storeDescription, expected: expected)
    }
}

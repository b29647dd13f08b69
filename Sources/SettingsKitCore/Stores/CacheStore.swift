import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores values that may be lost, in memory. When it is full, it drops the oldest half of the values.
///
/// A dropped value reads as its setting's default, and its listeners are notified, with the origin
/// ``SettingsService/Origin/external``. A value is as old as its last `set`; reading does not renew it.
public final class CacheStore: SettingsStore {
    private struct Entry {
        var data: Data
        /// Increases with each `set`.
        var age: Int
    }

    private struct Contents {
        var entries: [String: Entry] = [:]
        var byteCount = 0
        var lastAge = 0

        static func size(_ name: String, _ data: Data?) -> Int { data.map { name.utf8.count + $0.count } ?? 0 }

        /// - Returns: The bytes that were stored before.
        mutating func store(_ data: Data?, under name: String) -> Data? {
            lastAge += 1
            let old = entries[name]?.data
            entries[name] = data.map { Entry(data: $0, age: lastAge) }
            byteCount += Self.size(name, data) - Self.size(name, old)
            return old
        }
    }

    private let countLimit: Int
    private let byteLimit: Int
    private let contents = Mutex(Contents(), .store)
    private let ownFeed = SettingsStoreFeed()

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of values.
    ///   - byteLimit: The maximum number of bytes, of names and values together. A value that alone is larger is kept, alone.
    /// - Precondition: both limits are positive.
    public init(countLimit: Int = 1_000, byteLimit: Int = 16 * 1_024 * 1_024) {
        precondition(countLimit > 0 && byteLimit > 0, "The limits of a cache must be positive.")
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
    }

    /// Publishes changes and dropped values.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// Returns the bytes stored under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        contents.withLock { $0.entries[key.name]?.data }
    }

    /// Stores bytes under a key, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Applies a batch if its expectations hold. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        defer { ownFeed.flush() }
        return contents.withLock { contents in
            guard batch.expectations.hold(for: { contents.entries[$0]?.data }) else { return false }
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let old = contents.store(write.data, under: write.key.name)
                if old != write.data { changes.append(.init(name: write.key.name, from: old, to: write.data)) }
            }
            ownFeed.publish(changes, origin: .local)
            ownFeed.publish(dropExcess(from: &contents), origin: .external)
            return true
        }
    }

    /// Drops the oldest half if a limit is exceeded, and more until the limits hold, but never the value that was set last.
    private func dropExcess(from contents: inout Contents) -> [SettingsStoreChange] {
        func isExceeded() -> Bool { contents.entries.count > countLimit || contents.byteCount > byteLimit }
        guard isExceeded() else { return [] }
        let names = contents.entries.sorted { $0.value.age < $1.value.age }.map(\.key)
        var changes: [SettingsStoreChange] = []
        for (place, name) in names.dropLast().enumerated() where place < names.count / 2 || isExceeded() {
            let old = contents.store(nil, under: name)
            changes.append(.init(name: name, from: old, to: nil))
        }
        return changes
    }

    /// Returns the names that have a value.
    public func keys() -> [String] { contents.withLock { Array($0.entries.keys) } }

    /// Removes everything.
    public func removeAll() {
        contents.withLock { contents in
            let changes = contents.entries.map { SettingsStoreChange(name: $0.key, from: $0.value.data, to: nil) }
            contents = Contents()
            ownFeed.publish(changes, origin: .local)
        }
        ownFeed.flush()
    }
}

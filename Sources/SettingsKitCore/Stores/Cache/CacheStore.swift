import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores values that may be lost, in memory. When it is full, it drops the least recently used value.
///
/// A dropped value reads as its setting's default, and its listeners are notified, with the origin
/// ``SettingsService/Origin/external``. Every `get` reads the store, because only the store knows which values are used and bounds
/// the memory. So values are decoded each time.
public final class CacheStore: SettingsStore {
    private let contents: Mutex<RecencyMap>
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of values.
    ///   - byteLimit: The maximum number of bytes, of names and values together. A value that alone is larger is dropped as soon as
    ///     it is set.
    /// - Precondition: both limits are positive.
    public init(countLimit: Int = 1_000, byteLimit: Int = 16 * 1_024 * 1_024) {
        precondition(countLimit > 0 && byteLimit > 0, "The limits of a cache must be positive.")
        contents = Mutex(RecencyMap(countLimit: countLimit, byteLimit: byteLimit), .contents)
    }

    /// Publishes changes and dropped values; values are not cached outside of the store.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// Returns the bytes stored under a key, which become the most recently used. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        contents.withLock { $0.use(key.name) }
    }

    /// Stores bytes under a key, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Applies a batch if its expectations hold. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        defer { ownFeed.flush() }
        return contents.withLock { contents in
            guard batch.expectations.hold(for: { contents.peek($0) }) else { return false }
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let old = contents.store(write.data, under: write.key.name)
                if old != write.data { changes.append(.init(name: write.key.name, from: old, to: write.data)) }
            }
            ownFeed.publish(changes, origin: .local)
            let lost = contents.dropExcess()
            ownFeed.publish(lost.map { .init(name: $0.name, from: $0.data, to: nil) }, origin: .external)
            return true
        }
    }

    /// Returns the names that have a value.
    public func keys() -> [String] { contents.withLock { $0.names } }

    /// Removes everything.
    public func removeAll() {
        contents.withLock { contents in
            let removed = contents.removeAll()
            ownFeed.publish(removed.map { .init(name: $0.name, from: $0.data, to: nil) }, origin: .local)
        }
        ownFeed.flush()
    }
}

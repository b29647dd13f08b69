import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores settings in memory until the process ends: for tests, previews, and settings of one run.
public final class MemoryStore: SettingsStore {
    private let contents: Mutex<[String: Data]>
    private let ownFeed = SettingsStoreFeed()

    /// Creates a store that is empty, or that has the given bytes under the given names.
    public init(_ contents: [String: Data] = [:]) {
        self.contents = Mutex(contents, .store)
    }

    /// Publishes every change.
    public var feed: SettingsStoreFeed? { ownFeed }

    /// Returns the bytes stored under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        contents.withLock { $0[key.name] }
    }

    /// Stores bytes under a key, or removes it. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        contents.withLock { contents in
            let old = contents[key.name]
            guard old != data else { return }
            contents[key.name] = data
            ownFeed.publish([.init(name: key.name, from: old, to: data)], origin: .local)
        }
        ownFeed.flush()
    }

    /// Applies a batch if its expectations hold. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        defer { ownFeed.flush() }
        return contents.withLock { contents in
            guard batch.expectations.hold(for: { contents[$0] }) else { return false }
            ownFeed.publish(contents.store(batch.writes), origin: .local)
            return true
        }
    }

    /// Returns the names that have a value.
    public func keys() -> [String] { contents.withLock { Array($0.keys) } }

    /// Removes everything.
    public func removeAll() {
        contents.withLock { contents in
            let changes = contents.map { SettingsStoreChange(name: $0.key, from: $0.value, to: nil) }
            contents = [:]
            ownFeed.publish(changes, origin: .local)
        }
        ownFeed.flush()
    }
}

extension [String: Data] {
    /// Stores each entry.
    ///
    /// - Returns: the changes.
    mutating func store(_ writes: [SettingsStoreBatch.Entry]) -> [SettingsStoreChange] {
        var before: [String: Data?] = [:]
        for write in writes {
            if before[write.key.name] == nil { before[write.key.name] = .some(self[write.key.name]) }
            self[write.key.name] = write.data
        }
        return before.compactMap { name, old in
            old == self[name] ? nil : SettingsStoreChange(name: name, from: old, to: self[name])
        }
    }
}

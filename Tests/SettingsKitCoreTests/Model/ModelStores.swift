import Foundation
import SettingsKitCore

/// The bytes of a store in one commit: the name, and the bytes before and after.
struct ModelChange {
    let name: String
    let old: String?
    let new: String?
}

/// A store that has points in its functions, and records its commits in the order of its feed.
final class ModelStore: SettingsStore {
    typealias Record = @Sendable ([ModelChange], SettingsService.Origin) -> Void

    private let contents: Mutex<[String: Data]>
    private let ownFeed: SettingsStoreFeed?
    private let point: @Sendable (String) -> Void
    /// Called inside the lock, before the feed publishes.
    private let record: Record
    /// Returns whether a write fails.
    private let isBroken: @Sendable () -> Bool
    let number: Int

    /// - Parameter hasFeed: False for a store of two functions.
    init(
        _ number: Int, _ contents: [String: String], hasFeed: Bool = true, point: @escaping @Sendable (String) -> Void,
        isBroken: @escaping @Sendable () -> Bool = { false }, record: @escaping Record
    ) {
        self.contents = Mutex(contents.mapValues { Data($0.utf8) })
        ownFeed = hasFeed ? SettingsStoreFeed() : nil
        (self.number, self.point, self.isBroken, self.record) = (number, point, isBroken, record)
    }

    var feed: SettingsStoreFeed? { ownFeed }
    var storeDescription: String { "ModelStore \(number)" }
    var stored: [String: String] { contents.withLock { $0.mapValues { String(decoding: $0, as: UTF8.self) } } }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        point("will read")
        let data = contents.withLock { $0[key.name] }
        point("did read")
        return data
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        point("will write")
        if isBroken() { throw StoreBroken() }
        let isApplied = contents.withLock { contents in
            for expectation in batch.expectations where contents[expectation.key.name] != expectation.data {
                return false
            }
            commit(batch.writes.map { ($0.key.name, $0.data) }, .local, to: &contents)
            return true
        }
        point("did write")
        ownFeed?.flush()
        return isApplied
    }

    func keys() -> [String] { contents.withLock { Array($0.keys) } }

    /// Makes a change beside the services.
    func edit(_ changes: [(String, String?)], _ origin: SettingsService.Origin) {
        contents.withLock { contents in
            commit(changes.map { ($0.0, $0.1.map { Data($0.utf8) }) }, origin, to: &contents)
        }
        point("did edit")
        ownFeed?.flush()
    }

    private func commit(
        _ writes: [(name: String, data: Data?)], _ origin: SettingsService.Origin, to contents: inout [String: Data]
    ) {
        func text(_ data: Data?) -> String? { data.map { String(decoding: $0, as: UTF8.self) } }
        var changes: [ModelChange] = []
        var published: [SettingsStoreChange] = []
        for (name, data) in writes where contents[name] != data {
            changes.append(.init(name: name, old: text(contents[name]), new: text(data)))
            published.append(.init(name: name, from: contents[name], to: data))
            contents[name] = data
        }
        if changes.isEmpty { return }
        record(changes, origin)
        ownFeed?.publish(published, origin: origin)
    }
}

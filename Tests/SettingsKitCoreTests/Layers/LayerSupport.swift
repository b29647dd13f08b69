import Foundation
import SettingsKitCore

extension LayeredStore {
    /// What the layers hold under a name: "environment!=5 store=3", where the mark says that a layer locks.
    func summary(_ name: String) throws -> String { try candidates(for: key(name)).summary }
}

extension [SettingsStoreCandidate] {
    var summary: String { map(\.summary).joined(separator: " ") }
}

extension SettingsStoreCandidate {
    var summary: String {
        "\(layer ?? "store")\(isLocking ? "!" : "")=\(String(decoding: data, as: UTF8.self))"
    }
}

/// Writes down what a feed publishes: "name: before -> after", and "external" where another process made the change.
final class FeedLog: Sendable {
    let lines = Recorder<String>()
    /// The candidates of each name after its last published change.
    let last = Box<[String: [SettingsStoreCandidate]]>([:])
    private let subscription: Box<SettingsService.Subscription?>

    init(_ store: any SettingsStore) {
        subscription = Box(nil)
        subscription.value = store.feed?.observe { [lines, last] changes, origin in
            for change in changes {
                let (old, new) = (change.oldCandidates ?? [], change.newCandidates ?? [])
                lines.append(
                    "\(change.name): \(old.summary) -> \(new.summary)\(origin == .external ? " external" : "")")
                last.value[change.name] = new
            }
        }
    }

    /// What was published since the last call.
    func take() -> [String] {
        let all = lines.all
        defer { taken.value = all.count }
        return Array(all.dropFirst(taken.value))
    }

    private let taken = Box(0)
}

extension SettingsStore {
    /// Stores text under a name in `.defaults`, or removes it.
    func put(_ name: String, _ text: String?) throws { try set(key(name), to: text.map { Data($0.utf8) }) }
}

/// A store in memory with an exhaustive feed, which a test makes unreadable, and interrupts after each read.
final class GatedStore: SettingsStore {
    let base: MemoryStore
    let isReadable = Box(true)
    let afterGet = Box<@Sendable (SettingsService.StorageKey) -> Void>({ _ in })
    let keysCount = Box(0)

    init(_ contents: [String: String] = [:]) { base = MemoryStore(contents.mapValues { Data($0.utf8) }) }

    var feed: SettingsStoreFeed? { base.feed }

    private func requireReadable() throws {
        if !isReadable.value { throw SettingsError(.readFailed, store: "GatedStore") }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try requireReadable()
        let data = base.get(key)
        afterGet.value(key)
        return data
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) -> Bool { base.apply(batch) }

    func keys() throws -> [String] {
        keysCount.value += 1
        try requireReadable()
        return base.keys()
    }
}

extension MemoryStore {
    convenience init(_ contents: [String: String]) { self.init(contents.mapValues { Data($0.utf8) }) }
}

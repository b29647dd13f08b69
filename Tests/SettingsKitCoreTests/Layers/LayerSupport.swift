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

extension SettingsStore {
    /// Stores text under a name in `.defaults`, or removes it.
    func put(_ name: String, _ text: String?) throws { try set(key(name), to: text.map { Data($0.utf8) }) }
}

/// A store in memory with an exhaustive feed, which a test makes unreadable.
final class GatedStore: SettingsStore {
    let base: MemoryStore
    let isReadable = Box(true)
    /// The number of calls that read.
    let attempts = Box(0)

    init(_ contents: [String: String] = [:]) { base = MemoryStore(contents.mapValues { Data($0.utf8) }) }

    var feed: SettingsStoreFeed? { base.feed }

    private func requireReadable() throws {
        attempts.value += 1
        if !isReadable.value { throw SettingsError(.readFailed, store: "GatedStore") }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try requireReadable()
        return base.get(key)
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) -> Bool { base.apply(batch) }

    func keys() throws -> [String] {
        try requireReadable()
        return base.keys()
    }
}

extension MemoryStore {
    convenience init(_ contents: [String: String]) { self.init(contents.mapValues { Data($0.utf8) }) }
}

import Foundation
import SettingsKitCore

/// A store whose candidates a test sets one by one, to see what a service makes of them.
final class CandidateStore: LayeredSettingsStore {
    typealias Key = SettingsService.StorageKey

    private let contents = Mutex<[String: [SettingsStoreCandidate]]>([:])
    private let ownFeed = SettingsStoreFeed()
    let layerNames: [String?]

    /// - Parameter layers: The names, the highest first; nil for the one that is written to. Those above it lock.
    init(layers: [String?] = ["managed", nil, "system"]) { layerNames = layers }

    var feed: SettingsStoreFeed? { ownFeed }

    func candidates(for key: Key) -> [SettingsStoreCandidate] { contents.withLock { $0[key.name] ?? [] } }

    func get(_ key: Key) -> Data? { candidates(for: key).first { $0.form == .stored }?.data }

    func set(_ key: Key, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        defer { ownFeed.flush() }
        return try contents.withLock { contents in
            for expectation in batch.expectations {
                let present = contents[expectation.key.name] ?? []
                if let candidates = expectation.candidates, candidates != present { return false }
            }
            for write in batch.writes {
                let locks = (contents[write.key.name] ?? []).filter(\.isLocking)
                if let lock = locks.first(where: {
                    batch.options.disregardedLocks[write.key.name]?.contains($0) != true
                }) {
                    throw SettingsError(.locked, key: write.key, layer: lock.layer)
                }
            }
            for write in batch.writes { change(write.key.name, in: nil, to: write.data, .stored, .local, &contents) }
            return true
        }
    }

    /// Changes what a layer holds, and publishes that.
    func change(
        _ name: String, in layer: String?, to text: String?, form: SettingsStoreCandidate.Form = .stored,
        origin: SettingsService.Origin = .external
    ) {
        contents.withLock { contents in
            change(name, in: layer, to: text.map { Data($0.utf8) }, form, origin, &contents)
        }
        ownFeed.flush()
    }

    func held(_ name: String, in layer: String? = nil) -> String? {
        contents.withLock { contents in
            contents[name]?.first { $0.layer == layer }.map { String(decoding: $0.data, as: UTF8.self) }
        }
    }

    private func change(
        _ name: String, in layer: String?, to data: Data?, _ form: SettingsStoreCandidate.Form,
        _ origin: SettingsService.Origin, _ contents: inout [String: [SettingsStoreCandidate]]
    ) {
        let old = contents[name] ?? []
        var new = old.filter { $0.layer != layer }
        let order = { (layer: String?) in self.layerNames.firstIndex(of: layer) ?? 0 }
        if let data {
            let isLocking = order(layer) < order(nil)
            new.append(SettingsStoreCandidate(data, form: form, layer: layer, isLocking: isLocking))
        }
        new.sort { order($0.layer) < order($1.layer) }
        contents[name] = new
        if old != new { ownFeed.publish([.init(name: name, from: old, to: new)], origin: origin) }
    }
}

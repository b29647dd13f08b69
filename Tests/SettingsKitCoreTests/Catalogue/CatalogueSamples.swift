import Foundation

@testable import SettingsKitCore

enum CatalogueTheme: String, Codable, CaseIterable { case light, dark }

extension SettingsService.SettingDefinition {
    static let playerVolume = Setting<Double>(
        "volume", in: .defaults, default: 0.5, validation: .range(0...1), help: "How loud the sound is.")
    static let playerMuted = Setting<Bool>("muted", in: .defaults, default: false, help: "Whether the sound is off")
    static let playerPort = Setting<Int>(
        "port", in: .defaults, default: 8080, validation: .range(1...65_535), help: "The port to listen on.")
    static let playerUser = Setting<String>("user", in: .defaults, default: "www", validation: .notEmpty)
    static let playerTheme = Setting<CatalogueTheme>("theme", in: .defaults, default: .light)
    static let playerNickname = Setting<String?>("nickname", in: .defaults, help: "A name | for `people`.")
    static let playerToken = Setting<String>(
        "apiToken", in: .defaults, default: "s3cret-default", help: "The key of the service.", isSecret: true)
    static let playerHosts = Setting<[String]>("server.hosts", in: .defaults, default: [])
}

extension SettingsCatalogue {
    static let player = SettingsCatalogue("Player") {
        SettingsGroup("Sound") {
            .playerVolume; .playerMuted
        }
        SettingsGroup("Server", [.playerPort, .playerUser, .playerTheme, .playerNickname, .playerToken, .playerHosts])
    }

    func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// A store with layers whose contents a test says; the writable one keeps its values.
final class SampleLayers: LayeredSettingsStore {
    private let state: Mutex<[String: [SettingsStoreCandidate]]>
    private let names: [String?]
    private let ownFeed = SettingsStoreFeed()

    /// - Parameter layers: The layers, the highest first; those before the one without a name are locking.
    init(_ layers: [(name: String?, values: [String: String])]) {
        names = layers.map(\.name)
        let writable = names.firstIndex(of: nil) ?? 0
        var contents: [String: [SettingsStoreCandidate]] = [:]
        for (index, layer) in layers.enumerated() {
            for (name, text) in layer.values {
                let isVariable = layer.name == "environment"
                contents[name, default: []].append(
                    SettingsStoreCandidate(
                        Data(text.utf8), form: isVariable ? .text : .stored, layer: layer.name,
                        isLocking: index < writable, location: isVariable ? "PLAYER_\(name.uppercased())" : nil))
            }
        }
        state = Mutex(contents)
    }

    var layerNames: [String?] { names }
    var feed: SettingsStoreFeed? { ownFeed }
    func keys() -> [String] { state.withLock { Array($0.keys) } }

    func candidates(for key: SettingsService.StorageKey) -> [SettingsStoreCandidate] {
        state.withLock { $0[key.name] ?? [] }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        candidates(for: key).first { $0.form == .stored }?.data
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        defer { ownFeed.flush() }
        return try state.withLock { state in
            for write in batch.writes {
                let lock = (state[write.key.name] ?? []).first { candidate in
                    candidate.isLocking && !(batch.options.disregardedLocks[write.key.name] ?? []).contains(candidate)
                }
                if let lock { throw SettingsError(.locked, key: write.key, layer: lock.layer) }
            }
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let old = state[write.key.name] ?? []
                var new = old.filter { $0.layer != nil }
                if let data = write.data {
                    let index = new.firstIndex { !$0.isLocking } ?? new.count
                    new.insert(SettingsStoreCandidate(data), at: index)
                }
                state[write.key.name] = new.isEmpty ? nil : new
                changes.append(SettingsStoreChange(name: write.key.name, from: old, to: new))
            }
            ownFeed.publish(changes, origin: .local)
            return true
        }
    }
}

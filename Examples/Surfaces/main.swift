// A small player that uses all ways of reading and writing settings together: properties, a namespace with hooks, a record,
// and a migration from what an older version has stored. All are over one property list, and see each other's changes.

import Foundation
import SettingsKit

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Surfaces-\(UUID().uuidString)")
let file = folder.appendingPathComponent("Settings.plist")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func check(_ isSo: Bool, _ what: String) {
    if isSo { return }
    print("This should hold, and does not: \(what)")
    exit(1)
}

/// What version 1 of the player has left: loudness in per cent, and the server as text under another name.
try """
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Loudness</key><integer>80</integer>
<key>ServerName</key><string>music.example.org</string>
</dict></plist>
""".write(to: file, atomically: true, encoding: .utf8)

// MARK: Definitions

enum Playback: SettingsNamespace {
    static let id = "playback"
    static func preCommitHook() { print("   (playback is about to change)") }
    static func postCommitHook() { print("   (playback has changed)") }
}

extension SettingsService.SettingDefinition {
    static let volume = Setting<Double>("volume", in: .defaults, namespace: Playback.self, default: 0.5) {
        min(max($0, 0), 1)
    }
    static let lastPlayed = Setting<String?>("lastPlayed", in: .defaults, namespace: Playback.self)
}

struct Network: SettingsRecord {
    var server: URL?
    var timeout = 30
    var isProxied = false

    static let empty = Network()
}

let store = try PropertyListStore(url: file)
let settings = SettingsService(defaults: store)

final class Player {
    @Persisted(.volume, in: settings) var volume
    @Persisted(.lastPlayed, in: settings) var lastPlayed
    @Persisted(key: "launches", storedBy: store) var launches = 0
}

// MARK: Migration

let steps: [SettingsService.Migration] = [
    .rename("Loudness", to: .volume) { (percent: Int) in Double(percent) / 100 },
    .rename("ServerName", to: Setting<URL?>("network:server", in: .defaults)) { (name: String) in
        URL(string: "https://\(name)")
    },
    .version("2026-11-patience") { transaction in
        transaction.set(Setting<Int>("network:timeout", in: .defaults, default: 30), to: 60)
    },
]
print("1. The settings of version 1 are migrated.")
let first = try settings.migrate(steps)
let second = try settings.migrate(steps)
print("   carried out: \(first.appliedVersions), and the second time: \(second.appliedVersions)")
check(first.appliedVersions == ["2026-11-patience"] && second.appliedVersions.isEmpty, "a version is carried out once")

// MARK: Properties

let player = Player()
print("2. Properties: the volume was 80 per cent, and is \(player.volume).")
check(player.volume == 0.8, "the volume is converted")
let subscription = player.$volume.addUpdateListener { result in
    switch result {
    case .success(let update): print("   the listener hears: volume \(update.oldValue) -> \(update.newValue)")
    case .failure(let error): print("   the listener hears: \(error)")
    }
}
player.volume = 11
check(settings.get(.volume) == 1, "a property and its service have one value")
settings.set(.volume, to: 0.25)
check(player.volume == 0.25, "a service and its properties have one value")
print("   What is no number in JSON leaves the old value:")
do {
    try player.$volume.persist(.nan)
    check(false, "a value that cannot be stored is an error")
} catch SettingsError.Code.encodingFailed {
    check(player.volume == 0.25, "the old value stays")
}
player.lastPlayed = "Für Elise"
player.launches += 1
subscription.cancel()

// MARK: Records

let network = try SettingsStorage<Network>(name: "network", in: store)
print("3. A record: \(network.server?.absoluteString ?? "no server"), \(network.timeout) s")
check(network.server?.host == "music.example.org" && network.timeout == 60, "the record has the migrated fields")
let records = network.keepInformed()
network.update { record in
    record.timeout = 10
    record.isProxied = true
}
for await record in records {
    print("   the sequence has: \(record.timeout) s, proxied: \(record.isProxied)")
    check(record.timeout == 10 && record.isProxied, "what is changed together comes together")
    break
}
check(store.get(Setting<Int>("network:timeout", in: .defaults, default: 0)) == 10, "a field is a setting")

// MARK: The file

try settings.synchronize()
print("4. All of it in one file that people can read: \(store.keys().sorted().joined(separator: ", "))")
print(try String(contentsOf: file, encoding: .utf8))
settings.reset(Playback.self, in: .defaults)
check(player.volume == 0.5 && player.lastPlayed == nil && player.launches == 1, "a namespace is reset by itself")
print("5. Playback is reset: the volume is \(player.volume) again; launches: \(player.launches).")

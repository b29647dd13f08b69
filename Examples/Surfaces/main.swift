// Properties, a namespace, a record and a migration over one property list. Each sees the changes of the others. Run it with
// `swift run Surfaces`.

import Foundation
import SettingsKit
import Synchronization

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Surfaces-\(UUID().uuidString)")
let file = folder.appendingPathComponent("Settings.plist")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

/// Ends the example if a condition is false.
func check(_ condition: Bool, _ statement: String) {
    if condition { return }
    print("This should be true, and is not: \(statement)")
    exit(1)
}

/// The file of version 1 of the player: the volume in per cent, and the server as text, both under other names.
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
    static let changes = Mutex(0)
    static func postCommitHook() { changes.withLock { $0 += 1 } }
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
print("Look at the values: a migration, properties and a record see each other's changes of one file.")
let first = try settings.migrate(steps)
let second = try settings.migrate(steps)
print("1. Migration: applied \(first.appliedVersions), the second time \(second.appliedVersions)")
check(first.appliedVersions == ["2026-11-patience"] && second.appliedVersions.isEmpty, "a version is applied once")

// MARK: Properties

let player = Player()
print("2. Property: the volume of 80 per cent was converted to \(player.volume)")
check(player.volume == 0.8, "the volume is converted")
let subscription = player.$volume.observe { change in
    print("   listener: volume \(change.oldValue) -> \(change.newValue)")
}
player.volume = 11
check(settings.get(.volume) == 1, "a property and its service have one value")
settings.set(.volume, to: 0.25)
check(player.volume == 0.25, "a service and its properties have one value")
player.lastPlayed = "Für Elise"
player.launches += 1
subscription.cancel()

// MARK: Records

let network = try SettingsStorage<Network>(name: "network", in: store)
print("3. Record: \(network.server?.absoluteString ?? "no server"), \(network.timeout) s")
check(network.server?.host == "music.example.org" && network.timeout == 60, "the record has the migrated fields")
let records = network.values
network.update { record in
    record.timeout = 10
    record.isProxied = true
}
for await record in records {
    print("   sequence: \(record.timeout) s, proxied: \(record.isProxied)")
    check(record.timeout == 10 && record.isProxied, "fields changed together arrive together")
    break
}
check(store.get(Setting<Int>("network:timeout", in: .defaults, default: 0)) == 10, "a field is a setting")

// MARK: The file

try settings.synchronize()
print("4. File: \(store.keys().sorted().joined(separator: ", "))")
settings.reset(Playback.self, in: .defaults)
check(player.volume == 0.5 && player.lastPlayed == nil && player.launches == 1, "only the namespace is reset")
print("5. Namespace: after its reset, the volume is \(player.volume) and launches is still \(player.launches);")
print("   its hook ran \(Playback.changes.withLock { $0 }) times")

import Foundation
import SettingsKit

// Settings in three scopes, a custom store, and a listener. Run it twice with `swift run QuickStart`: the second run finds
// the values of the first.

enum Theme: String, Codable, Sendable {
    case system, light, dark
}

// 1. Define each setting once: its name, its scope, and its default.
extension SettingsService.SettingDefinition {
    static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    static let lastLaunch = Setting<Date?>("lastLaunch", in: .defaults)
    static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    static let note = Setting<String>("note", in: .custom(id: "notes"), default: "")
}

// 2. A custom store needs two functions. This one keeps each value in a separate file.
final class NoteStore: SettingsStore {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    private func file(for key: SettingsService.StorageKey) -> URL {
        // The name of a setting may contain characters that the name of a file may not.
        let name = key.name.precomposedStringWithCanonicalMapping
        return folder.appendingPathComponent(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        let file = file(for: key)
        return FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        let file = file(for: key)
        if let data {
            try data.write(to: file, options: .atomic)
        } else if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(at: file)
        }
    }
}

func tour() throws {
    // 3. Build the service. Its `.defaults` scope uses the app's own property list.
    let defaults = try PropertyListStore.standard()
    let folder = URL(fileURLWithPath: defaults.path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let settings = SettingsService(
        shared: try PropertyListStore(url: folder.appendingPathComponent("Shared.plist")),
        storesForCustomScopes: [.custom(id: "notes"): NoteStore(folder: folder)])

    print("Look at launchCount: each run finds the values of the run before.")
    print("Settings are in \(defaults.path)")
    if let lastLaunch = settings.get(.lastLaunch) {
        print("Values of the run at \(lastLaunch):")
    } else {
        print("This is the first run. Defaults:")
    }
    print("  launchCount = \(settings.get(.launchCount))")
    print("  volume      = \(settings.get(.volume))")
    print("  theme       = \(settings.get(.theme).rawValue)")
    print("  note        = \"\(settings.get(.note))\"")

    // 4. Listen. The subscription lives as long as you hold it.
    let subscription = settings.observe(.theme) { change in
        print("  listener: theme changed from \(change.oldValue.rawValue) to \(change.newValue.rawValue)")
    }

    // 5. Write.
    print("Writing:")
    settings.update(.launchCount) { $0 += 1 }
    settings.set(.theme, to: settings.get(.theme) == .dark ? .light : .dark)
    settings[.volume] = 11
    print("  volume set to 11, limited by its definition to \(settings[.volume])")
    settings.transaction { transaction in
        transaction.set(.lastLaunch, to: Date())
        transaction.set(.note, to: "Written by run \(transaction.get(.launchCount))")
    }

    // 6. The changes survive the end of the process. After this line, they also survive a power failure.
    try settings.synchronize()
    subscription.cancel()
    print("Run it again, or look at the file: cat '\(defaults.path)'")
}

do {
    try tour()
} catch {
    print("The example failed: \(error)")
    exit(1)
}

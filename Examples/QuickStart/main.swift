import Foundation
import SettingsKit

// Settings in all three kinds of scope, a store of ten lines, a listener, and a second run that finds the first one's
// values. Run it twice: `swift run QuickStart`.

enum Theme: String, Codable, Sendable {
    case system, light, dark
}

// 1. Define each setting once: its name, where it lives, and what it reads as while nothing is stored.
extension SettingsService.SettingDefinition {
    static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    static let lastLaunch = Setting<Date?>("lastLaunch", in: .defaults)
    static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    static let note = Setting<String>("note", in: .custom(id: "notes"), default: "")
}

// 2. A store of your own needs two functions: this one keeps each value in a file of its own.
final class NoteStore: SettingsStore {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    private func file(for key: SettingsService.StorageKey) -> URL {
        // A setting's name may hold anything; a file's name may not.
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
    // 3. Build the service. `SettingsService()` alone would do for `.defaults`: it opens this very file.
    let defaults = try PropertyListStore.standard()
    let folder = URL(fileURLWithPath: defaults.path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let settings = SettingsService(
        shared: try PropertyListStore(url: folder.appendingPathComponent("Shared.plist")),
        storesForCustomScopes: [.custom(id: "notes"): NoteStore(folder: folder)])

    print("Settings are in \(defaults.path)")
    if let lastLaunch = settings.get(.lastLaunch) {
        print("Welcome back. Found from the run of \(lastLaunch):")
    } else {
        print("This is the first run. The defaults:")
    }
    print("  launchCount = \(settings.get(.launchCount))")
    print("  volume      = \(settings.get(.volume))")
    print("  theme       = \(settings.get(.theme).rawValue)")
    print("  note        = \"\(settings.get(.note))\"")

    // 4. Listen. The subscription lives as long as you hold it.
    let subscription = settings.observe(.theme) { change in
        print("  heard: theme went from \(change.oldValue.rawValue) to \(change.newValue.rawValue)")
    }

    // 5. Write, as if to a variable.
    print("Writing:")
    settings.update(.launchCount) { $0 += 1 }
    settings.set(.theme, to: settings.get(.theme) == .dark ? .light : .dark)
    settings[.volume] = 11
    print("  volume was set to 11, and its definition keeps it at \(settings[.volume])")
    settings.transaction { transaction in
        transaction.set(.lastLaunch, to: Date())
        transaction.set(.note, to: "Run \(transaction.get(.launchCount)) was here.")
    }

    // 6. Before the process ends, all of it is in the files; this line says when it also survives a power failure.
    try settings.synchronize()
    subscription.cancel()
    print("Saved. Run it again, or look at the file: cat '\(defaults.path)'")
}

do {
    try tour()
} catch {
    print("This did not work: \(error)")
    exit(1)
}

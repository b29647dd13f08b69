import Foundation
import SettingsKit

/// A small structure, as in many settings.
struct Profile: Codable, Sendable {
    var name = "Ann"
    var age = 40
    var score = 2.5
}

/// A record of numbers only.
struct Counters: SettingsRecord {
    var count = 1
    var limit = 10
    var isActive = true

    static let empty = Counters()
}

/// A typical record.
struct Parameters: SettingsRecord {
    var isDetailed = false
    var apiURL: URL?
    var armedAt: Date?

    static let empty = Parameters()
}

// As the guides write settings: what is measured is what programs do.
extension SettingsService.SettingDefinition {
    static let launchCount = Setting<Int>("launchCount", in: .defaults, default: 0)
    static let windowCount = Setting<Int>("windowCount", in: .defaults, default: 0)
    static let isMuted = Setting<Bool>("isMuted", in: .defaults, default: false)
    static let theme = Setting<String>("theme", in: .defaults, default: "")
    static let greeting = Setting<String>("greeting", in: .defaults, default: "")
    static let profile = Setting<Profile>("profile", in: .defaults, default: Profile())
}

/// A service over a property list with a hundred settings, in a temporary directory that is removed with this object.
final class Fixture {
    let settings: SettingsService
    /// The same over five layers.
    let layered: SettingsService
    let numbers: [Setting<Int>]
    let counters: SettingsStorage<Counters>
    let parameters: SettingsStorage<Parameters>
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("settings-benchmarks-\(UUID().uuidString)")
        let store = try PropertyListStore(url: folder.appendingPathComponent("Settings.plist"))
        settings = SettingsService(defaults: store)
        layered = SettingsService(defaults: try store.amongLayers)
        numbers = (0..<100).map { Setting<Int>("setting-\($0)", in: .defaults, default: 0) }
        counters = try SettingsStorage(name: "counters", in: settings)
        parameters = try SettingsStorage(name: "network", in: settings)
        for (value, setting) in numbers.enumerated() { settings.set(setting, to: value) }
        settings.set(.launchCount, to: 42)
        settings.set(.isMuted, to: true)
        settings.set(.theme, to: "dark")
        settings.set(.greeting, to: "A string that does not fit into the sixteen bytes of its own.")
        settings.set(.profile, to: Profile(name: "Bob", age: 41, score: 3.5))
        counters.count = 2
        parameters.set(Parameters(isDetailed: true, apiURL: URL(string: "https://example.org/api"), armedAt: Date()))
    }

    deinit {
        do {
            try settings.synchronize()
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("The benchmark's directory \(folder.path) could not be removed: \(error)")
        }
    }
}

import SettingsCommandLine
import SettingsKit

#if canImport(Glibc)
    import Glibc
#else
    import Foundation
#endif

// A command-line tool over its own settings: `swift run Player settings set volume 0.8`, `swift run Player --volume=1`.

enum Quality: String, Codable, CaseIterable { case low, medium, high }

extension SettingDefinition {
    static let volume = Setting<Double>("volume", in: .defaults, default: 0.5, validation: .range(0...1))
    static let isMuted = Setting<Bool>("muted", in: .defaults, default: false, help: "Play nothing.")
    static let quality = Setting<Quality>("quality", in: .defaults, default: .medium)
}

let catalogue = SettingsCatalogue("Player") {
    SettingsGroup("Sound", [.volume, .isMuted, .quality])
}
let settings = SettingsService(defaults: try LayeredStore.standard(environmentPrefix: "PLAYER_"))
let arguments = CommandLine.arguments.dropFirst()

if arguments.first == "settings" {
    exit(SettingsCommand(catalogue, settings: settings, name: "Player settings").run(Array(arguments.dropFirst())))
}
print("Look at the volume: change it with `swift run Player settings set volume 0.8`, and run this again.")
if arguments.contains("--help") { print(catalogue.help(environmentPrefix: "PLAYER_")) }
print("Playing at \(settings[.isMuted] ? 0 : settings[.volume]) in \(settings[.quality]) quality.")

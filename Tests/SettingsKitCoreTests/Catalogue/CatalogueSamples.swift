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
}

/// The lines of a text have at most 80 columns.
func fitsInEightyColumns(_ text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { TextLayout.columns(String($0)) <= 80 }
}

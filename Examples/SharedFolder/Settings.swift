import SettingsKit

enum Theme: String, Codable, Sendable, CaseIterable {
    case system, light, dark
}

// The settings that the devices share. Their definitions do not depend on the store.
extension SettingsService.SettingDefinition {
    static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    static let volume = Setting<Int>("volume", in: .shared, default: 5) { min(max($0, 0), 10) }
    static let nickname = Setting<String?>("nickname", in: .shared)
}

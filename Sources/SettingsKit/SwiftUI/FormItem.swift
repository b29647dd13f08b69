import Foundation
import SettingsKitCore

/// What a form shows of one setting, and what a person's input does. The views only draw it.
struct FormItem: Identifiable, Sendable {
    /// The name in the catalogue.
    let id: String
    let setting: SettingsService.SettingDefinition
    let title: String
    let control: FormControl
    /// What the control shows: what a person would type for the value. Empty for a secret.
    let input: String
    /// Help, and why the value cannot be changed or is not the stored one.
    let footer: [String]
    /// Whether a layer above the one that is written to has the value, or cannot be read.
    let isLocked: Bool
    /// Whether something is stored that can be removed.
    let canReset: Bool

    init(_ setting: SettingsService.SettingDefinition, named name: String, in service: SettingsService) {
        let type = setting.catalogued.valueDescription
        let state = setting.catalogued.state(in: service, showsSecrets: false)
        id = name
        self.setting = setting
        title = FormTitle.title(ofName: setting.key.name)
        control = FormControl(type, isSecret: setting.isSecret, text: state.text)
        input = setting.isSecret ? "" : state.text.map(type.input) ?? ""
        isLocked = state.isLocked
        canReset = state.isSet && !state.isLocked
        var footer: [String] = []
        if let help = setting.help, !help.isEmpty { footer.append(help) }
        if let lock = state.lock {
            footer.append("Locked by \(lock.layer)\(lock.problem == nil ? "" : ", which cannot be read").")
        }
        if let problem = state.problem {
            footer.append(problem.expected.map { "The stored value is not \($0)." } ?? problem.description)
        }
        self.footer = footer
    }

    /// Stores what a person has typed or chosen.
    ///
    /// - Returns: Why the setting does not accept it; nil if it does.
    func store(_ input: String, in service: SettingsService) -> String? {
        if isLocked || setting.isSecret && input.isEmpty { return nil }
        do {
            try service.set(setting, fromText: setting.catalogued.valueDescription.text(ofInput: input))
            return nil
        } catch {
            return Self.message(for: error, setting)
        }
    }

    /// Removes the stored value.
    func reset(in service: SettingsService) {
        if canReset { service.transaction { $0.reset(setting) } }
    }

    private static func message(for error: any Error, _ setting: SettingsService.SettingDefinition) -> String {
        guard let error = error as? SettingsError else { return "\(type(of: error))" }
        if error.code == .invalidValue { return "Enter \(error.expected ?? setting.expected)." }
        return error.description
    }
}

/// The items of one group of a catalogue.
struct FormSection: Identifiable, Sendable {
    let id: Int
    let title: String
    let items: [FormItem]

    /// What a form shows of a catalogue.
    static func sections(of catalogue: SettingsCatalogue, in service: SettingsService) -> [FormSection] {
        catalogue.groups.enumerated().map { number, group in
            FormSection(
                id: number, title: group.title,
                items: group.settings.map { FormItem($0, named: catalogue.name(of: $0), in: service) })
        }
    }
}

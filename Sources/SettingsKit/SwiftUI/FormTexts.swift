import SettingsKitCore

/// The texts of a form that the app can translate: they are keys of its localized strings.
struct FormTexts: Sendable {
    let translate: @Sendable (String) -> String

    static let untranslated = FormTexts { $0 }

    func title(of setting: SettingsService.SettingDefinition) -> String {
        translate(FormTitle.title(ofName: setting.key.name))
    }

    func help(of setting: SettingsService.SettingDefinition) -> String? {
        guard let help = setting.help, !help.isEmpty else { return nil }
        return translate(help)
    }

    /// The title of the button that resets a setting.
    var reset: String { translate("Reset") }

    /// Returns the title for assistive technologies, which read it without the row: "Reset Launch count".
    func reset(_ title: String) -> String { translate("Reset %@").replacing("%@", with: title) }

    // MARK: Choices

    /// The choice of no value.
    static let none = "None"
    /// The other choices of a Boolean that may have no value.
    static let whenTrue = "True"
    static let whenFalse = "False"

    // MARK: Notes

    /// The note that a value cannot be changed.
    static func locked(_ lock: SettingsService.Lock) -> String {
        "Locked by \(lock.layer)\(lock.problem == nil ? "" : ", which cannot be read")."
    }

    /// The note that the stored value is not the one in force.
    static func unusable(_ problem: SettingsError) -> String {
        problem.expected.map { "The stored value is not \($0)." } ?? problem.description
    }

    /// The reason why input is not stored.
    static func message(for error: any Error, _ setting: SettingsService.SettingDefinition) -> String {
        guard let error = error as? SettingsError else { return "\(type(of: error))" }
        return error.code == .invalidValue ? "Enter \(error.expected ?? setting.expected)." : error.description
    }
}

extension FormControl {
    /// Returns the control with translated titles of cases.
    func translated(_ texts: FormTexts) -> FormControl {
        guard case .choice(let choices) = self else { return self }
        return .choice(
            choices.map { choice in
                choice.isValue ? choice : Choice(input: choice.input, title: texts.translate(choice.title))
            })
    }
}

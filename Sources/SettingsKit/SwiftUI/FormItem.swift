import SettingsKitCore

/// The displayed content of one setting in a form, and the actions on a person's input. The views only draw it.
struct FormItem: Identifiable, Sendable {
    /// The name in the catalogue.
    let id: String
    let setting: SettingsService.SettingDefinition
    let title: String
    let control: FormControl
    /// The kind of text that a person types for the value.
    let textKind: FormControl.TextKind
    /// Whether the value is hidden.
    private let isSecret: Bool
    /// The input that the control shows: the text that a person would type for the value. Empty for a secret, and for a value
    /// without a text.
    let input: String
    /// The text of a value that is only shown.
    let fixedText: String
    /// The purpose of the setting.
    let help: String?
    /// The reasons why the value cannot be changed or is not the stored one.
    let notes: [String]
    /// Whether a layer above the one that is written to has the value, or cannot be read.
    let isLocked: Bool
    /// Whether a stored value can be removed.
    let canReset: Bool

    /// - Parameter texts: Translates the visible texts.
    init(
        _ setting: SettingsService.SettingDefinition, named name: String, in service: SettingsService,
        _ texts: FormTexts = .untranslated
    ) {
        let type = setting.catalogued.valueDescription
        let state = setting.catalogued.state(in: service, showsSecrets: false)
        id = name
        self.setting = setting
        title = texts.title(of: setting)
        isSecret = state.isSecret
        control = FormControl(type, isSecret: isSecret, text: state.text).translated(texts)
        textKind = FormControl.TextKind(type)
        input = isSecret ? "" : state.text.map(type.input) ?? ""
        fixedText = state.textlessValue ?? ""
        help = texts.help(of: setting)
        isLocked = state.isLocked
        canReset = state.isSet && !state.isLocked
        var notes: [String] = []
        if let lock = state.lock {
            notes.append(FormTexts.locked(lock))
        }
        if let problem = state.problem {
            notes.append(FormTexts.unusable(problem))
        }
        self.notes = notes.map(texts.translate)
    }

    /// Help and notes.
    var footer: [String] { (help.map { [$0] } ?? []) + notes }

    // MARK: Text

    /// Returns the value in a region's format.
    func shown(_ numbers: NumberSeparators) -> String { textKind.isNumber ? numbers.shown(input) : input }

    /// Returns the title of a choice in a region's format.
    func shown(_ choice: FormControl.Choice, _ numbers: NumberSeparators) -> String {
        choice.isValue && textKind.isNumber ? numbers.shown(choice.title) : choice.title
    }

    /// Converts typed text to input; returns nil for a number with separators of another region.
    private func input(ofTyped text: String, _ numbers: NumberSeparators) -> String? {
        if textKind == .plain { return text }
        let trimmed = String(text.trimmingSpaces())
        return textKind.isNumber && !trimmed.isEmpty ? numbers.number(trimmed) : trimmed
    }

    // MARK: Changing

    /// Stores the text that a person has typed in a field.
    ///
    /// - Returns: The reason why the setting rejects it; nil if it accepts it.
    func store(typed text: String, _ numbers: NumberSeparators, in service: SettingsService) -> String? {
        guard let input = input(ofTyped: text, numbers) else { return FormTexts.rejected(setting.expected) }
        return store(input, in: service)
    }

    /// Stores input.
    ///
    /// - Returns: The reason why the setting rejects it; nil if it accepts it.
    func store(_ input: String, in service: SettingsService) -> String? {
        if isLocked || isSecret && input.isEmpty { return nil }
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
        if error.code == .invalidValue { return FormTexts.rejected(error.expected ?? setting.expected) }
        return error.description
    }
}

extension FormItem: Equatable {
    /// Returns whether two items of one setting look the same.
    static func == (one: FormItem, other: FormItem) -> Bool {
        one.setting === other.setting && one.title == other.title && one.control == other.control
            && one.textKind == other.textKind && one.input == other.input && one.fixedText == other.fixedText
            && one.help == other.help && one.notes == other.notes && one.isLocked == other.isLocked
            && one.canReset == other.canReset
    }
}

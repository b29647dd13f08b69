import SettingsKitCore

/// What a form shows of one setting, and what a person's input does. The views only draw it.
struct FormItem: Identifiable, Sendable {
    /// The name in the catalogue.
    let id: String
    let setting: SettingsService.SettingDefinition
    let title: String
    let control: FormControl
    /// What a text is that is typed for the value.
    let textKind: FormControl.TextKind
    /// What the control shows: what a person would type for the value. Empty for a secret, and for a value without a text.
    let input: String
    /// A value that is only shown.
    let fixedText: String
    /// What the setting is for.
    let help: String?
    /// Why the value cannot be changed or is not the stored one.
    let notes: [String]
    /// Whether a layer above the one that is written to has the value, or cannot be read.
    let isLocked: Bool
    /// Whether something is stored that can be removed.
    let canReset: Bool

    /// - Parameter texts: Translates what people read.
    init(
        _ setting: SettingsService.SettingDefinition, named name: String, in service: SettingsService,
        _ texts: FormTexts = .untranslated
    ) {
        let type = setting.catalogued.valueDescription
        let state = setting.catalogued.state(in: service, showsSecrets: false)
        id = name
        self.setting = setting
        title = texts.title(of: setting)
        control = FormControl(type, isSecret: setting.isSecret, text: state.text).translated(texts)
        textKind = FormControl.TextKind(type)
        input = setting.isSecret ? "" : state.text.map(type.input) ?? ""
        fixedText = state.textlessValue ?? ""
        help = texts.help(of: setting)
        isLocked = state.isLocked
        canReset = state.isSet && !state.isLocked
        var notes: [String] = []
        if let lock = state.lock {
            notes.append("Locked by \(lock.layer)\(lock.problem == nil ? "" : ", which cannot be read").")
        }
        if let problem = state.problem {
            notes.append(problem.expected.map { "The stored value is not \($0)." } ?? problem.description)
        }
        self.notes = notes.map(texts.translate)
    }

    /// Help and notes.
    var footer: [String] { (help.map { [$0] } ?? []) + notes }

    // MARK: Text

    /// The value as people of a region read it.
    func shown(_ numbers: NumberSeparators) -> String { textKind.isNumber ? numbers.shown(input) : input }

    /// The title of a choice as people of a region read it.
    func shown(_ choice: FormControl.Choice, _ numbers: NumberSeparators) -> String {
        choice.isValue && textKind.isNumber ? numbers.shown(choice.title) : choice.title
    }

    /// What a person has typed as input; nil for a number with separators that are not those of the region.
    private func input(ofTyped text: String, _ numbers: NumberSeparators) -> String? {
        if textKind == .plain { return text }
        let trimmed = String(text.trimmingSpaces())
        return textKind.isNumber && !trimmed.isEmpty ? numbers.number(trimmed) : trimmed
    }

    // MARK: Changing

    /// Stores what a person has typed in a field.
    ///
    /// - Returns: Why the setting does not accept it; nil if it does.
    func store(typed text: String, _ numbers: NumberSeparators, in service: SettingsService) -> String? {
        guard let input = input(ofTyped: text, numbers) else { return "Enter \(setting.expected)." }
        return store(input, in: service)
    }

    /// Stores input.
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

extension FormItem: Equatable {
    /// Whether two items of one setting look the same.
    static func == (one: FormItem, other: FormItem) -> Bool {
        one.setting === other.setting && one.title == other.title && one.control == other.control
            && one.textKind == other.textKind && one.input == other.input && one.fixedText == other.fixedText
            && one.help == other.help && one.notes == other.notes && one.isLocked == other.isLocked
            && one.canReset == other.canReset
    }
}

import SettingsKitCore

/// The displayed content of one setting in a form.
struct FormItem: Equatable, Sendable {
    let control: FormControl
    /// The input that the control shows: the text that a person would type for the value. Empty for a secret, and for a value
    /// without a text.
    let input: String
    /// The text of a value that is only shown.
    let fixedText: String
    /// The reasons why the value cannot be changed or is not the stored one.
    let notes: [String]
    /// Whether a layer above the one that is written to has the value, or cannot be read.
    let isLocked: Bool
    /// Whether a stored value can be removed.
    let canReset: Bool

    /// - Parameter texts: Translates the visible texts.
    init(_ setting: SettingsService.SettingDefinition, in service: SettingsService, _ texts: FormTexts) {
        let type = setting.catalogued.valueDescription
        let state = setting.catalogued.state(in: service, showsSecrets: false)
        control = FormControl(type, isSecret: state.isSecret, text: state.valueText).translated(texts)
        input = state.isSecret ? "" : state.valueText.map(type.input) ?? ""
        fixedText = state.textlessValue ?? ""
        isLocked = state.isLocked
        canReset = state.isSet && !state.isLocked
        let notes = [state.lock.map(FormTexts.locked), state.problem.map(FormTexts.unusable)]
        self.notes = notes.compactMap(\.self).map(texts.translate)
    }
}

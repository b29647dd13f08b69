import Observation
import SettingsKitCore

/// A row of a form: the displayed content of its setting, and a person's text until it is stored.
///
/// A view that reads ``item`` is updated when the displayed content changes, and not when other settings do.
@MainActor @Observable final class FormRow: Identifiable {
    nonisolated let id: String
    /// The text to search: it does not change with the value.
    @ObservationIgnored let title: String
    @ObservationIgnored let help: String?
    /// The title of the button that resets the setting, and its label for assistive technologies.
    @ObservationIgnored let resetTexts: (title: String, label: String)
    @ObservationIgnored let setting: SettingsService.SettingDefinition
    @ObservationIgnored private let service: SettingsService
    @ObservationIgnored private let texts: FormTexts

    private(set) var item: FormItem
    /// The typed text that is not stored.
    private var draft: String?
    /// The reason why the setting rejects the last input.
    private(set) var message: String?

    init(
        _ setting: SettingsService.SettingDefinition, named name: String, in service: SettingsService,
        _ texts: FormTexts
    ) {
        id = name
        title = texts.title(of: setting)
        help = texts.help(of: setting)
        resetTexts = (texts.reset, texts.reset(title))
        (self.setting, self.service, self.texts) = (setting, service, texts)
        item = FormItem(setting, named: name, in: service, texts)
    }

    /// Reads the setting again.
    func refresh() {
        let new = FormItem(setting, named: id, in: service, texts)
        if new != item { item = new }
    }

    // MARK: Input

    /// Returns the text of a field: the typed text, or the value.
    func text(_ numbers: NumberSeparators) -> String { draft ?? item.shown(numbers) }

    /// Records the content of a field. A field also reports content that was not edited, which is not to be stored.
    func type(_ text: String, _ numbers: NumberSeparators) {
        guard text != self.text(numbers) else { return }
        draft = text == item.shown(numbers) ? nil : text
        message = nil
    }

    /// Stores the typed text. If the setting rejects it, it stays in the field, with the reason.
    func submit(_ numbers: NumberSeparators) {
        guard let draft else { return }
        message = item.store(typed: draft, numbers, in: service).map(texts.translate)
        if message == nil { self.draft = nil }
    }

    /// Stores the chosen value.
    func choose(_ input: String) {
        draft = nil
        message = item.store(input, in: service).map(texts.translate)
    }

    /// Removes the stored value, and the typed text.
    func reset() {
        item.reset(in: service)
        (draft, message) = (nil, nil)
    }
}

import Observation
import SettingsKitCore

/// A row of a form: what it shows of its setting, and what a person types until it is stored.
///
/// A view that reads ``item`` is updated when what the row shows has changed, and not when other settings have.
@MainActor @Observable final class FormRow: Identifiable {
    nonisolated let id: String
    /// What people search for: it does not change with the value.
    @ObservationIgnored let title: String
    @ObservationIgnored let help: String?
    /// The title of the button that resets the setting, and its label for assistive technologies.
    @ObservationIgnored let resetTexts: (title: String, label: String)
    @ObservationIgnored let setting: SettingsService.SettingDefinition
    @ObservationIgnored private let service: SettingsService
    @ObservationIgnored private let texts: FormTexts

    private(set) var item: FormItem
    /// What is typed and not stored.
    private var draft: String?
    /// Why the setting does not accept the last input.
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

    /// What a field shows: what is typed, or the value.
    func text(_ numbers: NumberSeparators) -> String { draft ?? item.shown(numbers) }

    /// Notes what a field contains. A field also reports what it shows without being edited, which is nothing to store.
    func type(_ text: String, _ numbers: NumberSeparators) {
        guard text != self.text(numbers) else { return }
        draft = text == item.shown(numbers) ? nil : text
        message = nil
    }

    /// Stores what is typed. What the setting refuses stays in the field, with the reason.
    func submit(_ numbers: NumberSeparators) {
        guard let draft else { return }
        message = item.store(typed: draft, numbers, in: service).map(texts.translate)
        if message == nil { self.draft = nil }
    }

    /// Stores what is chosen.
    func choose(_ input: String) {
        draft = nil
        message = item.store(input, in: service).map(texts.translate)
    }

    /// Removes the stored value, and what is typed.
    func reset() {
        item.reset(in: service)
        (draft, message) = (nil, nil)
    }
}

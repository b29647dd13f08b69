import Observation
import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A row of a form: the displayed content of its setting, and a person's text until it is stored.
///
/// A view that reads ``item`` is updated when the displayed content changes, and not when other settings do.
@MainActor @Observable final class FormRow: Identifiable {
    /// The name in the catalogue.
    nonisolated let id: String
    @ObservationIgnored let title: String
    /// The purpose of the setting.
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
        item = FormItem(setting, in: service, texts)
    }

    /// Reads the setting again. An equal item updates no view.
    func refresh() { item = FormItem(setting, in: service, texts) }

    // MARK: Values of controls

    var isOn: Bool {
        get { choice == "true" }
        set { choice = newValue ? "true" : "false" }
    }

    var number: Decimal? {
        get { Decimal(string: item.input) }
        set { choice = newValue.map { "\($0)" } ?? "" }
    }

    var integer: Int {
        get { Int(item.input) ?? 0 }
        set { choice = "\(newValue)" }
    }

    var real: Double {
        get { Double(item.input) ?? 0 }
        set { choice = "\(newValue)" }
    }

    var date: Date {
        get { Date(iso8601: item.input) ?? Date(timeIntervalSinceReferenceDate: 0) }
        set { choice = newValue.iso8601 ?? "" }
    }

    /// The input that the control shows. Assigning another one stores it.
    var choice: String {
        get { item.input }
        set { if newValue != item.input { store(newValue) } }
    }

    // MARK: Text

    /// The text of a field: the typed text, or the value. A field also assigns text that was not edited, which is not to be stored.
    var text: String {
        get { draft ?? item.input }
        set {
            guard newValue != text else { return }
            draft = newValue == item.input ? nil : newValue
            message = nil
        }
    }

    /// Stores the typed text. If the setting rejects it, it stays in the field, with the reason.
    func submit() {
        guard let draft else { return }
        store(draft)
        if message == nil { self.draft = nil }
    }

    private func store(_ input: String) {
        message = nil
        if item.isLocked || item.control == .secret && input.isEmpty { return }
        do {
            try service.set(setting, fromText: setting.catalogued.valueDescription.text(ofInput: input))
        } catch {
            message = texts.translate(FormTexts.message(for: error, setting))
        }
    }

    /// Removes the stored value, and the typed text.
    func reset() {
        if item.canReset { service.transaction { $0.reset(setting) } }
        (draft, message) = (nil, nil)
    }
}

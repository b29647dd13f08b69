#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    /// A screen that shows and edits the settings of a catalogue.
    ///
    /// ```swift
    /// SettingsForm(catalogue).settingsService(settings)
    /// ```
    ///
    /// Each group is a section, and each setting has the control of its type and validation: a toggle for a Boolean, a
    /// picker for allowed values, a slider or a stepper for a range, a date picker, or a text field, whose input is checked
    /// when it is submitted. A setting's help, and the reason why it cannot be used or changed, are below the control. A
    /// locked setting is disabled, with the name of the layer that locks it. A menu on each setting resets it. A secret is
    /// not shown, and can be replaced.
    ///
    /// Titles are made of the names (`launchCount` is "Launch count"), also those of the cases of an enumeration; allowed
    /// values are shown as they are. Titles, the groups' titles and the help are keys of the app's localized strings.
    public struct SettingsForm: View {
        private let catalogue: SettingsCatalogue
        @Environment(\.settingsService) private var service
        @State private var updater = ViewUpdater()

        /// Creates a form of a catalogue, for the environment's service.
        public init(_ catalogue: SettingsCatalogue) { self.catalogue = catalogue }

        /// The form.
        public var body: some View {
            // Before the values are read, so that no change is missed.
            updater.followAll(of: service)
            updater.noteRead()
            return Form {
                ForEach(FormSection.sections(of: catalogue, in: service)) { section in
                    Section {
                        ForEach(section.items) { FormRow(item: $0) }
                    } header: {
                        Text(LocalizedStringKey(section.title))
                    }
                }
            }
        }
    }

    /// A setting: its control, and what is below it.
    private struct FormRow: View {
        let item: FormItem
        @Environment(\.settingsService) private var service
        @State private var message: String?

        var body: some View {
            VStack(alignment: .leading) {
                FormControlView(item: item, title: LocalizedStringKey(item.title)) { input in
                    message = item.store(input, in: service)
                }
                .disabled(item.isLocked)
                if let message { Text(verbatim: message).font(.footnote).foregroundStyle(.red) }
                ForEach(item.footer, id: \.self) { line in
                    Text(LocalizedStringKey(line)).font(.footnote).foregroundStyle(.secondary)
                }
                if item.canReset {
                    Button("Reset") {
                        item.reset(in: service)
                        message = nil
                    }
                    .font(.footnote)
                    .buttonStyle(.borderless)
                }
            }
        }
    }

    /// The control of a setting. It passes on what a person chooses or submits.
    private struct FormControlView: View {
        let item: FormItem
        let title: LocalizedStringKey
        let store: @MainActor (String) -> Void

        var body: some View {
            switch item.control {
            case .toggle:
                Toggle(title, isOn: binding({ $0 == "true" }, { $0 ? "true" : "false" }))
            case .choice(let choices):
                Picker(title, selection: binding({ $0 }, { $0 })) {
                    ForEach(choices, id: \.self) { choice in
                        (choice.isValue ? Text(verbatim: choice.title) : Text(LocalizedStringKey(choice.title)))
                            .tag(choice.input)
                    }
                }
            case .text, .secret:
                FormTextField(item: item, title: title, store: store)
            case .fixed:
                Text(title)
            case .stepper(let range):
                #if os(tvOS)
                    FormTextField(item: item, title: title, store: store)
                #else
                    Stepper(value: binding({ Int($0) ?? range.lowerBound }, { String($0) }), in: range) {
                        LabeledContent(title) { Text(verbatim: item.input) }
                    }
                #endif
            case .slider(let range):
                #if os(tvOS)
                    FormTextField(item: item, title: title, store: store)
                #else
                    LabeledContent(title) { Text(verbatim: item.input) }
                    Slider(value: binding({ Double($0) ?? range.lowerBound }, { FormControl.text(of: $0) }), in: range)
                #endif
            case .date:
                #if os(tvOS)
                    FormTextField(item: item, title: title, store: store)
                #else
                    DatePicker(
                        title, selection: binding({ FormControl.date($0) }, { FormControl.text(of: $0) }),
                        displayedComponents: [.date, .hourAndMinute])
                #endif
            }
        }

        /// A binding between a control's value and the text of the setting.
        private func binding<Value>(
            _ value: @escaping @Sendable (String) -> Value, _ text: @escaping @Sendable (Value) -> String
        ) -> Binding<Value> {
            let (item, store) = (item, store)
            return Binding(
                get: { value(item.input) },
                set: { @MainActor new, transaction in withTransaction(transaction) { store(text(new)) } })
        }
    }

    /// A field whose text is stored when it is submitted.
    private struct FormTextField: View {
        let item: FormItem
        let title: LocalizedStringKey
        let store: @MainActor (String) -> Void
        /// What is typed and not submitted yet.
        @State private var draft: String?

        var body: some View {
            let text = Binding(get: { @MainActor in draft ?? item.input }, set: { @MainActor in draft = $0 })
            LabeledContent(title) {
                if item.control == .secret {
                    SecureField(title, text: text).onSubmit(submit)
                } else {
                    TextField(title, text: text).onSubmit(submit)
                }
            }
            .labelsHidden()
        }

        private func submit() {
            guard let draft else { return }
            store(draft)
            self.draft = nil
        }
    }
#endif

#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    /// The control of a setting.
    struct FormControlView: View {
        let row: FormRow
        let item: FormItem
        @Environment(\.locale) private var locale

        var body: some View {
            let numbers = NumberSeparators(of: locale)
            let hint = Text(verbatim: item.help ?? "")
            switch item.control {
            case .toggle:
                Toggle(item.title, isOn: binding({ $0 == "true" }, { $0 ? "true" : "false" })).accessibilityHint(hint)
            case .choice(let choices):
                Picker(item.title, selection: binding({ $0 }, { $0 })) {
                    ForEach(choices, id: \.self) { Text(verbatim: item.shown($0, numbers)).tag($0.input) }
                }
                .accessibilityHint(hint)
            case .text, .secret:
                FormTextField(row: row, item: item, numbers: numbers)
            case .fixed:
                LabeledContent(item.title) { Text(verbatim: item.fixedText) }
            case .stepper(let range):
                #if os(tvOS)
                    FormTextField(row: row, item: item, numbers: numbers)
                #else
                    let shown = Text(verbatim: item.shown(numbers))
                    Stepper(value: binding({ Int($0) ?? range.lowerBound }, { String($0) }), in: range) {
                        LabeledContent(item.title) { shown }
                    }
                    .accessibilityLabel(Text(verbatim: item.title))
                    .accessibilityValue(shown)
                    .accessibilityHint(hint)
                #endif
            case .slider(let range):
                #if os(tvOS)
                    FormTextField(row: row, item: item, numbers: numbers)
                #else
                    let shown = Text(verbatim: item.shown(numbers))
                    // The slider itself has the label and the value.
                    LabeledContent(item.title) { shown }.accessibilityHidden(true)
                    let value = binding({ Double($0) ?? range.lowerBound }, { FormControl.text(of: $0) })
                    Slider(value: value, in: range) {
                        Text(verbatim: item.title)
                    }
                    .labelsHidden()
                    .accessibilityValue(shown)
                    .accessibilityHint(hint)
                #endif
            case .date:
                #if os(tvOS)
                    FormTextField(row: row, item: item, numbers: numbers)
                #else
                    DatePicker(
                        item.title, selection: binding({ FormControl.date($0) }, { FormControl.text(of: $0) }),
                        displayedComponents: [.date, .hourAndMinute]
                    )
                    .accessibilityHint(hint)
                #endif
            }
        }

        /// Returns a binding between a control's value and the text of the setting.
        private func binding<Value>(
            _ value: @escaping @Sendable (String) -> Value, _ text: @escaping @Sendable (Value) -> String
        ) -> Binding<Value> {
            let row = row
            return Binding(
                get: { @MainActor in value(row.item.input) },
                set: { @MainActor new, transaction in withTransaction(transaction) { row.choose(text(new)) } })
        }
    }

    /// A field whose text is stored when it is submitted, and when the field loses the focus or leaves the screen.
    private struct FormTextField: View {
        let row: FormRow
        let item: FormItem
        let numbers: NumberSeparators
        @FocusState private var isFocused: Bool

        var body: some View {
            LabeledContent(item.title) {
                field
                    .labelsHidden()
                    .focused($isFocused)
                    .textInput(item.textKind)
                    .accessibilityHint(Text(verbatim: item.help ?? ""))
                    .onSubmit { row.submit(numbers) }
                    .onChange(of: isFocused) { _, isFocused in
                        if !isFocused { row.submit(numbers) }
                    }
                    .onDisappear { row.submit(numbers) }
            }
        }

        @ViewBuilder private var field: some View {
            let (row, numbers) = (row, numbers)
            let text = Binding(
                get: { @MainActor in row.text(numbers) }, set: { @MainActor in row.type($0, numbers) })
            if item.control == .secret {
                SecureField(item.title, text: text)
            } else {
                TextField(item.title, text: text)
            }
        }
    }

    extension View {
        /// Configures a field for a kind of text.
        @ViewBuilder fileprivate func textInput(_ kind: FormControl.TextKind) -> some View {
            #if os(macOS)
                autocorrectionDisabled(!kind.isProse)
            #elseif os(watchOS)
                autocorrectionDisabled(!kind.isProse).textInputAutocapitalization(kind.isProse ? .sentences : .never)
            #else
                autocorrectionDisabled(!kind.isProse)
                    .textInputAutocapitalization(kind.isProse ? .sentences : .never)
                    .keyboardType(
                        kind.keyboard == .url ? .URL : kind.keyboard == .standard ? .default : .numbersAndPunctuation
                    )
                    .textContentType(kind == .url ? .URL : nil)
            #endif
        }
    }
#endif

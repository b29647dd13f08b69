#if canImport(SwiftUI)
    import SwiftUI

    /// The control of a setting.
    struct FormControlView: View {
        @Bindable var row: FormRow
        @FocusState private var isFocused: Bool

        var body: some View {
            switch row.item.control {
            case .toggle:
                Toggle(row.title, isOn: $row.isOn).accessibilityHint(hint)
            case .choice(let choices):
                Picker(row.title, selection: $row.choice) {
                    ForEach(choices, id: \.self) { Text(verbatim: $0.title).tag($0.input) }
                }
                .accessibilityHint(hint)
            case .number: numberField
            case .text: textField
            case .secret:
                field { SecureField(row.title, text: $row.text) }
            case .fixed:
                LabeledContent(row.title) { Text(verbatim: row.item.fixedText) }
            #if os(tvOS)
                case .stepper, .slider: numberField
                case .date: textField
            #else
                case .stepper(let range):
                    Stepper(value: $row.integer, in: range) {
                        LabeledContent(row.title) { shownNumber }
                    }
                    .accessibilityLabel(Text(verbatim: row.title))
                    .accessibilityValue(shownNumber)
                    .accessibilityHint(hint)
                case .slider(let range):
                    // The slider itself has the label and the value.
                    LabeledContent(row.title) { shownNumber }.accessibilityHidden(true)
                    Slider(value: $row.real, in: range) { Text(verbatim: row.title) }
                        .labelsHidden()
                        .accessibilityValue(shownNumber)
                        .accessibilityHint(hint)
                case .date:
                    DatePicker(row.title, selection: $row.date, displayedComponents: [.date, .hourAndMinute])
                        .accessibilityHint(hint)
            #endif
            }
        }

        private var hint: Text { Text(verbatim: row.help ?? "") }

        /// Numbers have the decimal separator of the region, and no others: a port is no amount.
        private var numberStyle: Decimal.FormatStyle { .number.grouping(.never).precision(.significantDigits(1...38)) }

        private var shownNumber: Text { Text(row.number ?? 0, format: numberStyle) }

        private var numberField: some View {
            field { TextField(row.title, value: $row.number, format: numberStyle) }
        }

        private var textField: some View {
            field { TextField(row.title, text: $row.text) }
        }

        /// Returns a field whose text is stored when it is submitted, and when the field loses the focus or leaves the screen.
        private func field(@ViewBuilder _ content: () -> some View) -> some View {
            let content = content()
            return LabeledContent(row.title) {
                content
                    .labelsHidden()
                    .autocorrectionDisabled()
                    .focused($isFocused)
                    .accessibilityHint(hint)
                    .onSubmit { row.submit() }
                    .onChange(of: isFocused) { _, isFocused in
                        if !isFocused { row.submit() }
                    }
                    .onDisappear { row.submit() }
            }
        }
    }
#endif

#if canImport(SwiftUI)
    import SettingsKitCore
    import SwiftUI

    /// A screen that shows and edits the settings of a catalogue.
    ///
    /// ```swift
    /// SettingsForm(catalogue).settingsService(settings)
    /// ```
    ///
    /// Each group is a section, and each setting has the control of its type and validation: a toggle for a Boolean, a picker for
    /// allowed values, a slider or a stepper for a range, a date picker, or a field. A field is checked and stored when it is
    /// submitted and when it loses the focus. If the setting rejects text, it stays in the field; a number is replaced by the
    /// value. The reason is below. Numbers have the format of the region.
    ///
    /// A setting's help, and the reason why it cannot be used or changed, are below the control. A locked setting is disabled, with
    /// the name of the layer that locks it. A button below a stored setting resets it. A secret is not shown, and can be replaced.
    ///
    /// People can search the settings in a form that is inside a navigation view, unless you create it without the field. A row
    /// tracks only its setting: a change of another setting does not update it.
    ///
    /// Titles are derived from the names (`launchCount` is "Launch count"), also those of the cases of an enumeration; allowed
    /// values are shown unchanged. Titles, the groups' titles, the help and the words of the form are keys of the app's localized
    /// strings.
    public struct SettingsForm: View {
        private let catalogue: SettingsCatalogue
        private let isSearchable: Bool
        @Environment(\.settingsService) private var service
        @State private var model = FormModel(.ofApp)
        @State private var query = ""

        /// Creates a form of a catalogue, for the environment's service, with a field to search the settings.
        ///
        /// - Parameter catalogue: The settings.
        public init(_ catalogue: SettingsCatalogue) { self.init(catalogue, isSearchable: true) }

        /// Creates a form of a catalogue, for the environment's service.
        ///
        /// - Parameters:
        ///   - catalogue: The settings.
        ///   - isSearchable: Whether the form has a field to search them. Pass false if a view around the form has one.
        public init(_ catalogue: SettingsCatalogue, isSearchable: Bool) {
            self.catalogue = catalogue
            self.isSearchable = isSearchable
        }

        /// The form.
        public var body: some View {
            let sections = model.sections(of: catalogue, in: service)
            let form = Form {
                ForEach(sections.compactMap { $0.matching(query) { $0.localizedStandardContains($1) } }) { section in
                    Section {
                        ForEach(section.rows) { FormRowView(row: $0) }
                    } header: {
                        Text(verbatim: section.title)
                    }
                }
            }
            if isSearchable {
                form.searchable(text: $query)
            } else {
                form
            }
        }
    }

    extension FormTexts {
        /// Translates with the localized strings of the app.
        static let ofApp = FormTexts { Bundle.main.localizedString(forKey: $0, value: $0, table: nil) }
    }

    /// The row of a setting: its control, and the texts below it.
    private struct FormRowView: View {
        let row: FormRow

        var body: some View {
            let item = row.item
            VStack(alignment: .leading) {
                FormControlView(row: row).disabled(item.isLocked)
                if let message = row.message { Text(verbatim: message).font(.footnote).foregroundStyle(.red) }
                if let help = row.help {
                    // Hidden, because it is the control's hint.
                    Text(verbatim: help).font(.footnote).foregroundStyle(.secondary).accessibilityHidden(true)
                }
                ForEach(item.notes, id: \.self) { note in
                    Text(verbatim: note).font(.footnote).foregroundStyle(.secondary)
                }
                if item.canReset {
                    Button(row.resetTexts.title) { row.reset() }
                        .accessibilityLabel(Text(verbatim: row.resetTexts.label))
                        .font(.footnote)
                        .buttonStyle(.borderless)
                }
            }
        }
    }
#endif

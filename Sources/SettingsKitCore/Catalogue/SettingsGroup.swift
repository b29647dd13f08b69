/// Groups settings of a ``SettingsCatalogue`` under a title.
///
/// ```swift
/// SettingsGroup("Sound") { .volume; .muted }
/// SettingsGroup("Server", [.port, .user])
/// ```
///
/// Write the settings on one line, or as an array: Swift reads implicit members on separate lines as one chain.
public struct SettingsGroup: Sendable {
    /// The title, for tables and documentation.
    public let title: String
    /// The settings, in the order in which they are shown.
    public let settings: [SettingsService.SettingDefinition]

    /// Creates a group from an array of settings of any types.
    public init(_ title: String, _ settings: [SettingsService.SettingDefinition]) {
        self.title = title
        self.settings = settings
    }

    /// Creates a group from a list of settings of any types: `{ .volume; .muted }`.
    public init(
        _ title: String,
        @SettingsCatalogue.Builder<SettingsService.SettingDefinition> _ settings: () -> [SettingsService
            .SettingDefinition]
    ) {
        self.init(title, settings())
    }

    /// Creates a group with the fields of a record's type.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - record: The type. Its fields are listed in the order in which they are encoded, with their attributes; see
    ///     ``SettingField``.
    ///   - name: The name of the record in its ``SettingsStorage``; nil for a record without a name.
    ///   - scope: The scope of the record.
    public init<Record: SettingsRecord>(
        _ title: String, describing record: Record.Type, name: String? = nil,
        in scope: SettingsService.Scope = .defaults
    ) {
        self.init(title, RecordFieldList.settings(of: record, name: name, in: scope).flatMap(\.settings))
    }
}

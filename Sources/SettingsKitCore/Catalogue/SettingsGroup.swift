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
    public init(_ title: String, @Builder _ settings: () -> [SettingsService.SettingDefinition]) {
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
        self.init(title, RecordLayout.settings(of: record, name: name, in: scope).flatMap(\.settings))
    }

    /// Collects settings in the braces of a group.
    @resultBuilder public enum Builder {
        /// Collects one setting.
        public static func buildExpression(
            _ setting: SettingsService.SettingDefinition
        ) -> [SettingsService.SettingDefinition] { [setting] }

        /// Collects several settings.
        public static func buildExpression(
            _ settings: [SettingsService.SettingDefinition]
        ) -> [SettingsService.SettingDefinition] { settings }

        /// Collects the settings of all statements.
        public static func buildBlock(
            _ parts: [SettingsService.SettingDefinition]...
        ) -> [SettingsService.SettingDefinition] { parts.flatMap(\.self) }

        /// Collects the settings of a loop.
        public static func buildArray(
            _ parts: [[SettingsService.SettingDefinition]]
        ) -> [SettingsService.SettingDefinition] { parts.flatMap(\.self) }

        /// Collects the settings of an `if` without an `else`.
        public static func buildOptional(
            _ part: [SettingsService.SettingDefinition]?
        ) -> [SettingsService.SettingDefinition] { part ?? [] }

        /// Collects the settings of an `if`.
        public static func buildEither(
            first part: [SettingsService.SettingDefinition]
        ) -> [SettingsService.SettingDefinition] { part }

        /// Collects the settings of an `else`.
        public static func buildEither(
            second part: [SettingsService.SettingDefinition]
        ) -> [SettingsService.SettingDefinition] { part }

        /// Collects the settings of an `if #available`.
        public static func buildLimitedAvailability(
            _ part: [SettingsService.SettingDefinition]
        ) -> [SettingsService.SettingDefinition] { part }
    }
}

/// Lists a program's settings for people: in groups, with help, allowed values, sources and problems.
///
/// ```swift
/// let catalogue = SettingsCatalogue("Player") {
///     SettingsGroup("Sound") { .volume; .muted }
///     SettingsGroup("Server", [.port, .user])
/// }
/// print(catalogue.table(in: settings))
/// for problem in catalogue.check(in: settings) { print(problem) }
/// ```
///
/// A catalogue holds no values. Its functions read a service and change nothing, so they write no default. Values of secret
/// settings appear as `•••`. Characters that could disturb a terminal appear as escapes.
///
/// ## Names
/// ``name(of:)`` is the name under which a setting is stored. If the catalogue has settings with one name in several scopes, the
/// scope is added to those outside `.defaults`: `theme@shared`.
public struct SettingsCatalogue: Sendable {
    /// The name of the program, or the subject of the settings.
    public let title: String
    /// The groups, in the order in which they are shown.
    public let groups: [SettingsGroup]
    /// The scopes in which each name has a setting.
    private let scopes: [String: Set<SettingsService.Scope>]

    /// Creates a catalogue from an array of groups.
    public init(_ title: String, _ groups: [SettingsGroup]) {
        self.title = title
        self.groups = groups
        scopes = groups.flatMap(\.settings).reduce(into: [:]) { $0[$1.key.name, default: []].insert($1.key.scope) }
    }

    /// Creates a catalogue from a list of groups.
    public init(_ title: String, @Builder<SettingsGroup> _ groups: () -> [SettingsGroup]) {
        self.init(title, groups())
    }

    /// Creates a catalogue of the fields of a record's type, which is then the only definition of a program's settings.
    ///
    /// ```swift
    /// struct Server: SettingsRecord {
    ///     @SettingField(validation: .range(1...65_535), help: "The port to listen on.") var port = 8080
    ///     var log = Log()
    ///     static let empty = Server()
    /// }
    /// let catalogue = SettingsCatalogue("Player", describing: Server.self)
    /// ```
    ///
    /// The fields are a group with the title of the catalogue. Those of a nested record are a group with its name, such as `log`. To
    /// describe several records, or a record and other settings, use ``SettingsGroup/init(_:describing:name:in:)``.
    ///
    /// - Parameters:
    ///   - title: The name of the program, or the subject of the settings.
    ///   - record: The type. Its fields are listed in the order in which they are encoded.
    ///   - name: The name of the record in its ``SettingsStorage``; nil for a record without a name.
    ///   - scope: The scope of the record.
    public init<Record: SettingsRecord>(
        _ title: String, describing record: Record.Type, name: String? = nil,
        in scope: SettingsService.Scope = .defaults
    ) {
        let groups = RecordFieldList.settings(of: record, name: name, in: scope)
        self.init(title, groups.map { SettingsGroup($0.group ?? title, $0.settings) })
    }

    /// The settings of all groups, without duplicates.
    public var settings: [SettingsService.SettingDefinition] {
        var seen: Set<ObjectIdentifier> = []
        return groups.flatMap(\.settings).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Returns the name of a setting in tables, exports and commands.
    public func name(of setting: SettingsService.SettingDefinition) -> String {
        name(of: setting.key)
    }

    /// Returns the setting with a name; nil if the catalogue has none.
    public func setting(named name: String) -> SettingsService.SettingDefinition? {
        settings.first { self.name(of: $0) == name }
            ?? settings.first { $0.key.name == name && scopes[name]?.count == 1 }
    }

    /// Returns the setting's name that is most similar to a wrong one; nil if none is similar.
    ///
    /// `prot` is similar to `port`; so is any name that is spelled as an argument or a variable.
    public func name(similarTo name: String) -> String? {
        SimilarName.find(name, among: settings.map { self.name(of: $0) })
    }

    func name(of key: SettingsService.StorageKey) -> String {
        guard let scopes = scopes[key.name], scopes.count > 1 || !scopes.contains(key.scope) else { return key.name }
        return switch key.scope {
        case .defaults: key.name
        case .shared: key.name + "@shared"
        case .custom(let id): key.name + "@" + id
        }
    }

    /// Collects the groups in the braces of a catalogue, or the settings in those of a group.
    @resultBuilder public enum Builder<Element> {
        /// Collects one element.
        public static func buildExpression(_ element: Element) -> [Element] { [element] }

        /// Collects several elements.
        public static func buildExpression(_ elements: [Element]) -> [Element] { elements }

        /// Collects the elements of all statements.
        public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap(\.self) }

        /// Collects the elements of a loop.
        public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap(\.self) }

        /// Collects the elements of an `if` without an `else`.
        public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }

        /// Collects the elements of an `if`.
        public static func buildEither(first part: [Element]) -> [Element] { part }

        /// Collects the elements of an `else`.
        public static func buildEither(second part: [Element]) -> [Element] { part }

        /// Collects the elements of an `if #available`.
        public static func buildLimitedAvailability(_ part: [Element]) -> [Element] { part }
    }
}

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

import Synchronization

/// The names of a record type's fields, and what their attributes declare.
///
/// A nested record has no field of its own: its fields are the outer record's, such as `http.timeout`. Every other structure is one
/// value.
final class RecordLayout: Sendable {
    /// The layout of a type without attributes and nested records.
    static let plain = RecordLayout()
    /// Each type's layout is made once. A leaf: nothing is called inside it.
    private static let known = Mutex<[ObjectIdentifier: RecordLayout]>([:], .leaf)

    /// The names of the fields that are not named like their coding keys.
    private let names: [String: String]
    /// The layouts of nested records, by coding key.
    let nested: [String: RecordLayout]
    /// The attributes of the fields that have one, by the field's name, nested ones included.
    let attributes: [String: any FieldAttribute]
    /// The names that the stored properties have as fields, nested ones included.
    private let namesOfProperties: [String]

    private init(
        names: [String: String] = [:], nested: [String: RecordLayout] = [:],
        attributes: [String: any FieldAttribute] = [:], namesOfProperties: [String] = []
    ) {
        (self.names, self.nested, self.attributes) = (names, nested, attributes)
        self.namesOfProperties = namesOfProperties
    }

    static func of<Record: SettingsRecord>(_ type: Record.Type) -> RecordLayout {
        let identifier = ObjectIdentifier(type)
        if let layout = known.withLock({ $0[identifier] }) { return layout }
        HeldLocks.requireNone(before: "encoding")
        let made = RecordLayout(of: Record.empty)
        return known.withLock { known in
            let first = known[identifier] ?? made
            known[identifier] = first
            return first
        }
    }

    private convenience init<Record: SettingsRecord>(of empty: Record) {
        let properties = RecordProperties(of: empty)
        var names: [String: String] = [:]
        for (property, attribute) in properties.attributes {
            guard let name = attribute.name else { continue }
            precondition(
                SettingsService.StorageKey.isValid(name),
                "The name of the field \(Record.self).\(property) must not be empty or contain NUL.")
            names[property] = name
        }
        // Other types need not be encoded. A record that cannot be encoded is reported when it is.
        let isDescribed = properties.hasRecords || !properties.attributes.isEmpty
        let members = isDescribed ? optionalResult(of: Self.members, empty) ?? [] : []
        let nested = members.compactMap { key, member in member.layout.map { (key, $0) } }
        let layout = RecordLayout(names: names, nested: Dictionary(nested) { first, _ in first })
        // A property without a coding key is no field.
        let keys = Set(members.map(\.name))
        let fields = layout.names(ofProperties: properties.names.filter(keys.contains))
        precondition(
            Set(fields).count == fields.count, "Two fields of \(Record.self) have one name: \(fields.sorted()).")
        self.init(
            names: names, nested: layout.nested,
            attributes: layout.attributes(of: Record.self, ofProperties: properties.attributes),
            namesOfProperties: layout.names(ofProperties: properties.names))
    }

    private static func members(of record: some SettingsRecord) throws -> [(name: String, member: any RowMember)] {
        try RowEncoder.members(of: record, .plain, isDeclaring: true) ?? []
    }

    /// Returns the names of the fields of properties, nested ones included.
    private func names(ofProperties properties: [String]) -> [String] {
        properties.flatMap { property -> [String] in
            guard let inner = nested[property] else { return [name(ofKey: property)] }
            return inner.namesOfProperties.map { prefix(ofKey: property) + $0 }
        }
    }

    /// Returns the attributes by the name of the field, nested ones included.
    private func attributes(
        of type: Any.Type, ofProperties own: [String: any FieldAttribute]
    ) -> [String: any FieldAttribute] {
        var attributes: [String: any FieldAttribute] = [:]
        for (property, attribute) in own {
            if nested[property] == nil {
                attributes[name(ofKey: property)] = attribute
            } else {
                precondition(
                    !attribute.hasValidation && attribute.help == nil && !attribute.isSecret,
                    """
                    The attribute of \(type).\(property) can only have a name, because the fields of a nested record are \
                    separate settings.
                    """)
            }
        }
        for (key, inner) in nested {
            attributes.merge(inner.attributes.map { (prefix(ofKey: key) + $0.key, $0.value) }) { first, _ in first }
        }
        return attributes
    }

    // MARK: Names

    /// Whether fields are named like their coding keys, and no record is nested.
    var isPlain: Bool { names.isEmpty && nested.isEmpty && attributes.isEmpty }

    /// Returns the name of the field with a coding key.
    func name(ofKey key: String) -> String { names.isEmpty ? key : names[key] ?? key }

    /// Returns the first part of the names of a nested record's fields.
    func prefix(ofKey key: String) -> String { name(ofKey: key) + "." }

    /// Returns the coding keys of fields, nested records included.
    func keys(ofNames fields: [String]) -> [String] {
        if isPlain { return fields }
        let keys = Dictionary(names.map { ($0.value, $0.key) }) { first, _ in first }
        let others = fields.filter { field in !nested.keys.contains { field.hasPrefix(prefix(ofKey: $0)) } }
        return others.map { keys[$0] ?? $0 } + nested.keys
    }

    // MARK: Fields

    /// Returns the fields that a record saves.
    ///
    /// Traps if a field with an attribute is not saved as the attribute says.
    ///
    /// - Throws: The error of the record.
    func declaredRow(of record: some SettingsRecord) throws -> SettingsRow {
        var row = SettingsRow.declaring
        try record.save(into: &row)
        // A custom mapping may save a nested record as one value.
        let separate = attributes.filter { name, _ in
            !nested.keys.contains { row.members[self.name(ofKey: $0)] != nil && name.hasPrefix(prefix(ofKey: $0)) }
        }
        for (name, attribute) in separate {
            guard let member = row.members[name] else {
                preconditionFailure(
                    """
                    \(type(of: record)).empty saves no field named \(name). A field that SettingField declares has the coding key \
                    of its property, and its name is that of the attribute.
                    """)
            }
            precondition(
                !attribute.hasValidation || member.canBeValidated(by: attribute),
                "\(type(of: record)) saves the field \(name) as another type than the one that its attribute validates."
            )
        }
        return row
    }

    /// Returns whether a record has no part that it does not save.
    func isWhollySaved(in row: SettingsRow) -> Bool { row.members.names.sorted() == namesOfProperties.sorted() }

    /// Returns the definitions of settings with the values of the record's fields.
    ///
    /// - Parameter name: The name of the record; nil for one without a name.
    /// - Returns: The definitions by group: of the record, and of each nested record, which are named like their fields.
    static func settings<Record: SettingsRecord>(
        of type: Record.Type, name: String?, in scope: SettingsService.Scope
    ) -> [(group: String?, settings: [SettingsService.SettingDefinition])] {
        let layout = of(type)
        let nestedNames = layout.nested.keys.map { layout.name(ofKey: $0) }.sorted { $0.utf8.count > $1.utf8.count }
        var groups: [(group: String?, settings: [SettingsService.SettingDefinition])] = [(nil, [])]
        // A record that cannot be saved has no fields.
        let row = optionalResult(of: layout.declaredRow, Record.empty) ?? .declaring
        for (field, member) in row.members.all {
            let key = SettingsService.StorageKey(name.map { "\($0):\(field)" } ?? field, scope: scope)
            guard let setting = member.setting(key, layout.attributes[field]) else { continue }
            let group = nestedNames.first { field.hasPrefix($0 + ".") }
            if let index = groups.firstIndex(where: { $0.group == group }) {
                groups[index].settings.append(setting)
            } else {
                groups.append((group, [setting]))
            }
        }
        return groups.filter { !$0.settings.isEmpty }
    }
}

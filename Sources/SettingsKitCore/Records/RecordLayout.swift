import Synchronization

/// The names of a record type's fields, and what their attributes declare.
///
/// A nested record has no field of its own: its fields are the outer record's, such as `http.timeout`. Every other structure is one
/// value.
final class RecordLayout: Sendable {
    /// The layout of a type without attributes and nested records.
    static let plain = RecordLayout(names: [:], nested: [:], attributes: [:])
    /// Each type's layout is made once. A leaf: nothing is called inside it.
    private static let known = Mutex<[ObjectIdentifier: RecordLayout]>([:], .leaf)

    /// The names of the fields that are not named like their coding keys.
    private let names: [String: String]
    /// The layouts of nested records, by coding key.
    let nested: [String: RecordLayout]
    /// The attributes of the fields that have one, by the field's name.
    let attributes: [String: any FieldAttribute]

    private init(names: [String: String], nested: [String: RecordLayout], attributes: [String: any FieldAttribute]) {
        (self.names, self.nested, self.attributes) = (names, nested, attributes)
    }

    static func of<Record: SettingsRecord>(_ type: Record.Type) -> RecordLayout {
        let identifier = ObjectIdentifier(type)
        if let layout = known.withLock({ $0[identifier] }) { return layout }
        HeldLocks.requireNone(before: "encoding")
        let made = make(for: type)
        return known.withLock { known in
            let first = known[identifier] ?? made
            known[identifier] = first
            return first
        }
    }

    /// Returns the name of the field with a coding key.
    func name(ofKey key: String) -> String { names.isEmpty ? key : names[key] ?? key }

    /// Returns the first part of the names of a nested record's fields.
    func prefix(ofKey key: String) -> String { name(ofKey: key) + "." }

    /// Returns the definitions of settings with the values of the record's fields.
    ///
    /// - Parameter name: The name of the record; nil for one without a name.
    /// - Returns: The definitions by group: of the record, and of each nested record, which are named like their fields.
    static func settings<Record: SettingsRecord>(
        of type: Record.Type, name: String?, in scope: SettingsService.Scope
    ) -> [(group: String?, settings: [SettingsService.SettingDefinition])] {
        let layout = of(type)
        var groups: [(group: String?, settings: [SettingsService.SettingDefinition])] = [(nil, [])]
        for (field, member) in layout.declaredFields(of: Record.empty) {
            let key = SettingsService.StorageKey(name.map { "\($0):\(field)" } ?? field, scope: scope)
            guard let setting = member.setting(key, layout.attributes[field]) else { continue }
            let group = layout.nested.keys.map { layout.name(ofKey: $0) }.first { field.hasPrefix($0 + ".") }
            if let index = groups.firstIndex(where: { $0.group == group }) {
                groups[index].settings.append(setting)
            } else {
                groups.append((group, [setting]))
            }
        }
        return groups.filter { !$0.settings.isEmpty }
    }

    /// Returns the fields that a record saves, in order.
    ///
    /// Traps if a field with an attribute is not saved under its name. A record that cannot be saved has no fields.
    func declaredFields(of record: some SettingsRecord) -> [(name: String, member: any RowMember)] {
        var row = SettingsRow.declaring
        guard optionalResult(of: { try record.save(into: &row) }, ()) != nil else { return [] }
        let names = row.names ?? []
        for name in attributes.keys where !names.contains(name) {
            preconditionFailure(
                "\(type(of: record)) has no field named \(name). Pass the name of a field to its SettingField attribute, not to CodingKeys."
            )
        }
        return names.compactMap { name in row.members[name].map { (name, $0) } }
    }

    private static func make<Record: SettingsRecord>(for type: Record.Type) -> RecordLayout {
        let empty = Record.empty
        // A record that cannot be encoded is reported when it is.
        let members =
            (optionalResult(of: { try RowEncoder.members(of: $0, .plain, isDeclaring: true) }, empty) ?? nil) ?? []
        let own = attributes(of: empty, members)
        var names: [String: String] = [:]
        var nested: [String: RecordLayout] = [:]
        var attributes: [String: any FieldAttribute] = [:]
        for (property, attribute) in own { names[property] = attribute.name }
        for (key, member) in members {
            guard let inner = member.layout else { continue }
            precondition(
                own[key]?.isPlain ?? true,
                "The attribute of \(type).\(key) can only have a name, because the fields of a nested record are separate settings."
            )
            nested[key] = inner
        }
        let layout = RecordLayout(names: names, nested: nested, attributes: [:])
        for (property, attribute) in own where nested[property] == nil {
            let previous = attributes.updateValue(attribute, forKey: layout.name(ofKey: property))
            precondition(previous == nil, "Two fields of \(type) are named \(layout.name(ofKey: property)).")
        }
        for (key, inner) in nested {
            let prefix = layout.prefix(ofKey: key)
            attributes.merge(inner.attributes.map { (prefix + $0.key, $0.value) }) { first, _ in first }
        }
        return RecordLayout(names: names, nested: nested, attributes: attributes)
    }

    /// Returns the attributes of a record's properties, by the name of the property.
    ///
    /// An attribute does not tell to which property it belongs: the first one belongs to the first property that has one.
    private static func attributes<Record: SettingsRecord>(
        of empty: Record, _ members: [(name: String, member: any RowMember)]
    ) -> [String: any FieldAttribute] {
        let typeName = String(describing: Record.self).prefix { $0 != "<" }
        let attributes = AttributeCollection.attributes(ofTypeNamed: String(typeName)) {
            // Whether it can be decoded is of no importance.
            var row = SettingsRow()
            for (name, member) in members { row.add(member, under: name) }
            _ = optionalResult(of: Record.init(from:), RowDecoder(row: row, layout: .plain))
        }
        let properties = Mirror(reflecting: empty).children.compactMap { child -> (name: String, type: Any.Type)? in
            guard let wrapper = type(of: child.value) as? any FieldWrapper.Type else { return nil }
            return (String(child.label?.dropFirst() ?? ""), wrapper.valueType)
        }
        precondition(
            properties.map { ObjectIdentifier($0.type) } == attributes.map { ObjectIdentifier($0.valueType) },
            "The attributes of \(Record.self) cannot be matched with its properties.")
        return Dictionary(zip(properties.map(\.name), attributes)) { first, _ in first }
    }
}

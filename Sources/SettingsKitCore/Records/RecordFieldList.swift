#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a record, in the order in which it encodes them.
struct RecordFieldList: Sendable {
    /// The key of the whole record in messages.
    let key: SettingsService.StorageKey
    /// The first part of the keys of the fields; empty for a record without a name.
    let prefix: String
    private let service: SettingsService?
    private let attributes: [String: any AnyFieldAttribute]
    private let whenInvalidated: (@Sendable () -> Void)?
    private(set) var fields: [any RecordField] = []
    private var places: [String: Int] = [:]
    /// Whether each field is a property of its name.
    let areProperties: Bool

    /// Creates the list of the fields that a record encodes.
    ///
    /// Traps if two have one name, or if a property with an attribute is not encoded as the attribute says.
    ///
    /// - Parameters:
    ///   - members: The members of the empty record.
    ///   - service: The service that has the values; nil if the fields are only described.
    ///   - whenInvalidated: Called inside the connection's lock when the value of a field changes.
    init<Record: SettingsRecord>(
        of type: Record.Type, _ members: [any RecordMember], named name: String?, in scope: SettingsService.Scope,
        of service: SettingsService?, whenInvalidated: (@Sendable () -> Void)? = nil
    ) throws(SettingsError) {
        precondition(
            name.map(SettingsService.StorageKey.isValid) ?? true,
            "The name of a record must not be empty or contain NUL.")
        (key, prefix) = (.init(name ?? "\(type)", scope: scope), name.map { $0 + ":" } ?? "")
        (self.service, self.whenInvalidated) = (service, whenInvalidated)
        let properties = RecordLayout.of(type).properties.filter { !$0.isRecord }
        let names = Set(members.map(\.name))
        precondition(names.count == members.count, "Two fields of \(type) have one name: \(names.sorted()).")
        attributes = properties.reduce(into: [:]) { attributes, property in
            guard let attribute = property.attribute else { return }
            precondition(
                names.contains(property.name),
                """
                \(type).empty encodes no field named \(property.name). A field that SettingField declares has the coding key of its \
                property, and its name is that of the attribute.
                """)
            attributes[property.name] = attribute
        }
        areProperties = names.isSubset(of: properties.map(\.name))
        for member in members { add(try member.field(in: self)) }
    }

    mutating func add(_ field: any RecordField) {
        places[field.name] = fields.count
        fields.append(field)
    }

    /// Returns the field with a name. Most often that is at a place, or at the one before.
    func place(of name: String, near place: Int = 0) -> Int? {
        if place < fields.count, fields[place].name == name { return place }
        if place > 0, place <= fields.count, fields[place - 1].name == name { return place - 1 }
        return places[name]
    }

    /// Returns the key of a field.
    ///
    /// - Throws: `encodingFailed` if no key can have the name.
    func key(of name: String) throws(SettingsError) -> SettingsService.StorageKey {
        guard SettingsService.StorageKey.isValid(prefix + name) else {
            throw SettingsError(.encodingFailed, key: key, underlying: InvalidName())
        }
        return .init(prefix + name, scope: key.scope)
    }

    /// The error that no key can have a field's name.
    private struct InvalidName: ValueFreeError {
        var description: String { "The name of a field contains NUL, or is empty in a record without a name." }
    }

    // MARK: Making fields

    /// Returns a type as one of a setting's values; nil if it cannot be encoded and decoded.
    static func valueType(_ type: Any.Type) -> (any (Codable & Sendable).Type)? {
        // A record is `Sendable`, so the values of its fields are. At run time, nothing shows that a type is.
        typealias SendableType = any (Codable & Sendable).Type
        return (type as? any Codable.Type).map { unsafeBitCast($0 as any Codable.Type, to: SendableType.self) }
    }

    /// Returns a field with a default.
    func field<Value: Codable & Sendable>(
        _ name: String, default value: Value, form: StoredForm<Value> = .field
    ) throws(SettingsError) -> any RecordField {
        let attribute = attributes[name]
        precondition(
            attribute == nil || attribute is FieldAttribute<Value> || attribute?.hasValidation == false,
            "The field \(name) is encoded as another type than the one that its attribute validates.")
        let setting = SettingsService.Setting(
            field: try key(of: name), default: value, form: form,
            validation: (attribute as? FieldAttribute<Value>)?.validation, help: attribute?.help,
            isSecret: attribute?.isSecret ?? false, whenInvalidated: whenInvalidated)
        return FieldSetting(name, setting, in: service)
    }
}

extension RecordFieldList {
    /// Returns the definitions of settings with the values of a record's fields.
    ///
    /// - Parameter name: The name of the record; nil for one without a name.
    /// - Returns: The definitions by group: of the record, and of each nested record, which are named like their fields.
    static func settings<Record: SettingsRecord>(
        of type: Record.Type, name: String?, in scope: SettingsService.Scope
    ) -> [(group: String?, settings: [SettingsService.SettingDefinition])] {
        // A record that cannot be encoded has no fields.
        let members = optionalResult(of: RecordEncoder.members, Record.empty) ?? []
        let list = optionalResult(of: { try RecordFieldList(of: type, $0, named: name, in: scope, of: nil) }, members)
        let nestedNames = RecordLayout.of(type).recordNames.sorted { $0.utf8.count > $1.utf8.count }
        var groups: [(group: String?, settings: [SettingsService.SettingDefinition])] = [(nil, [])]
        for field in list?.fields ?? [] {
            let group = nestedNames.first { field.name.hasPrefix($0 + ".") }
            if let index = groups.firstIndex(where: { $0.group == group }) {
                groups[index].settings.append(field.definition)
            } else {
                groups.append((group, [field.definition]))
            }
        }
        return groups.filter { !$0.settings.isEmpty }
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field's wrapper, whichever type its value has.
protocol FieldWrapper {
    static var valueType: Any.Type { get }
    var anyValue: any Codable { get }
}

extension SettingField: FieldWrapper {
    static var valueType: Any.Type { Value.self }
    var anyValue: any Codable { wrappedValue }
}

/// The stored properties of a record, and their attributes.
struct RecordProperties {
    /// The names of the properties.
    let names: [String]
    /// The attributes, by the name of the property.
    let attributes: [String: any FieldAttribute]
    /// Whether a property is a record.
    let hasRecords: Bool

    init<Record: SettingsRecord>(of empty: Record) {
        let properties = Mirror(reflecting: empty).children.map { child in
            let wrapper = child.value as? any FieldWrapper
            let label = child.label ?? ""
            return (name: wrapper == nil ? label : String(label.dropFirst()), wrapper, child.value)
        }
        names = properties.map(\.name)
        hasRecords = properties.contains { ($0.1?.anyValue ?? $0.2) is any SettingsRecord }
        let wrapped = properties.filter { $0.1 != nil }
        if wrapped.isEmpty, !(empty is any CustomReflectable) {
            attributes = [:]
            return
        }
        // An attribute does not tell to which property it belongs: the first one belongs to the first property that has one.
        let own = Self.attributes(of: empty)
        let types = wrapped.compactMap { $0.1.map { ObjectIdentifier(type(of: $0).valueType) } }
        precondition(
            types == own.map { ObjectIdentifier($0.valueType) },
            """
            The attributes of \(Record.self) cannot be matched with its properties. Each property with another property wrapper \
            must have SettingField as the inner one, and the record must show its properties to Mirror.
            """)
        attributes = Dictionary(zip(wrapped.map(\.name), own)) { first, _ in first }
    }

    /// Returns the attributes of a record's type, in the order of its properties.
    ///
    /// Creating the record evaluates those of the structures in it as well. They have the names of their types, so only types with
    /// the same name must be distinguished.
    private static func attributes<Record: SettingsRecord>(of empty: Record) -> [any FieldAttribute] {
        let typeName = name(of: Record.self)
        var found = attributes(whenDecoding: Record.self, as: empty)
        for value in values(in: empty, named: typeName) where type(of: value) != Record.self {
            for place in attributes(whenDecodingAs: value).keys { found[place] = nil }
        }
        return found.filter { $0.key.typeName == typeName }.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func name(of type: Any.Type) -> String {
        // A description quotes a name that is no identifier, and has no-break spaces in it.
        let name = String(describing: type).prefix { $0 != "<" }.filter { $0 != "`" }
        return String(name.map { $0 == "\u{A0}" ? " " : $0 })
    }

    /// Returns the structures in a value whose types have a name. Objects, which may refer to each other, are not searched.
    private static func values(in value: Any, named name: String) -> [any Codable] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class { return [] }
        return mirror.children.flatMap { child -> [any Codable] in
            let value = (child.value as? any FieldWrapper)?.anyValue ?? child.value
            let inner = values(in: value, named: name)
            guard Self.name(of: type(of: value)) == name, let value = value as? any Codable else { return inner }
            return inner + [value]
        }
    }

    private static func attributes<Value: Codable>(
        whenDecodingAs value: Value
    ) -> [AttributeCollection.Place: any FieldAttribute] { attributes(whenDecoding: Value.self, as: value) }

    private static func attributes<Value: Codable>(
        whenDecoding type: Value.Type, as value: Value
    ) -> [AttributeCollection.Place: any FieldAttribute] {
        AttributeCollection.attributes {
            // Whether it can be decoded is of no importance.
            var row = SettingsRow()
            _ = optionalResult(of: { try row.setMembers(of: $0, .plain) }, value)
            _ = optionalResult(of: Value.init(from:), RowDecoder(row: row, layout: .plain))
        }
    }
}

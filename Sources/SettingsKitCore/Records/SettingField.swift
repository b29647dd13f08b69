/// Declares the help, the validation, the name and the secrecy of a record's field.
///
/// ```swift
/// struct Server: SettingsRecord {
///     @SettingField(validation: .range(1...65_535), help: "The port to listen on.") var port = 8080
///     @SettingField("log-level", help: "The least important messages to log.") var logLevel = "info"
///     @SettingField(isSecret: true) var token = ""
///     var isDetailed = false
///
///     static let empty = Server()
/// }
/// let server = try SettingsStorage<Server>(in: store)
/// let catalogue = SettingsCatalogue("Player", describing: Server.self)
/// ```
///
/// The structure is then the only definition of the program's settings: ``SettingsStorage`` reads and writes them, and
/// ``SettingsCatalogue/init(_:describing:name:in:)`` lists them for people. A field without an attribute is a setting without help.
///
/// A stored value that the validation rejects counts as undecodable: the last good value stays in force. If there is none, because
/// the program has just started, the field has the value of the next layer, and at the end that of ``SettingsRecord/empty``, which
/// is not validated. Writing a rejected value fails with ``SettingsError/Code/invalidValue``, and changes nothing.
///
/// The attribute's arguments belong to the structure's type, not to its values: a field takes no more memory than its value, is
/// encoded like it, and is equal to another one if the values are equal. They have an effect where the structure is stored field by
/// field: in a ``SettingsStorage``, and as a nested record. A structure that is stored as one value, such as an element of an array
/// or an optional record, is neither validated nor hidden by the attributes in it.
///
/// The property has an initial value, which may be nil without being written. Its coding key has the name of the property: to store
/// a field under another name, pass the name to the attribute, not to `CodingKeys`. Beside another property wrapper, `SettingField`
/// is the inner one. A record that breaks these rules, that saves two fields under one name, or that hides its properties from
/// `Mirror`, traps when it is first used. The attribute of a nested record can only have a name.
@propertyWrapper @frozen public struct SettingField<Value: Codable & Sendable>: Sendable {
    /// The value of the field.
    public var wrappedValue: Value

    /// Declares a field that accepts each value of its type.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - name: The name in the store, without NUL; by default the name of the property.
    ///   - help: The purpose of the setting, in a sentence, for people who configure the program.
    ///   - isSecret: Whether tables, exports and messages show `•••` in place of the value.
    ///   - typeName: The name of the record's type. Do not pass it.
    ///   - fileID: The file of the attribute. Do not pass it.
    ///   - line: The line of the attribute. Do not pass it.
    ///   - column: The column of the attribute. Do not pass it.
    @inlinable public init(
        wrappedValue: Value, _ name: String? = nil, help: String? = nil, isSecret: Bool = false,
        typeName: StaticString = #function, fileID: StaticString = #fileID, line: Int = #line, column: Int = #column
    ) {
        self.wrappedValue = wrappedValue
        if AttributeCollection.isActive {
            AttributeCollection.add(
                TypedFieldAttribute<Value>(name: name, validation: nil, help: help, isSecret: isSecret),
                at: .init(typeName: typeName, fileID: fileID, line: line, column: column))
        }
    }

    /// Declares a field with a condition that its values must meet.
    ///
    /// The condition is evaluated when the type of the record is first used.
    @inlinable public init(
        wrappedValue: Value, _ name: String? = nil,
        validation: @autoclosure () -> SettingsService.Validation<Value>, help: String? = nil, isSecret: Bool = false,
        typeName: StaticString = #function, fileID: StaticString = #fileID, line: Int = #line, column: Int = #column
    ) {
        self.wrappedValue = wrappedValue
        if AttributeCollection.isActive {
            AttributeCollection.add(
                TypedFieldAttribute(name: name, validation: validation(), help: help, isSecret: isSecret),
                at: .init(typeName: typeName, fileID: fileID, line: line, column: column))
        }
    }

    /// Declares an optional field whose initial value is nil.
    @inlinable public init(
        _ name: String? = nil, help: String? = nil, isSecret: Bool = false, typeName: StaticString = #function,
        fileID: StaticString = #fileID, line: Int = #line, column: Int = #column
    ) where Value: ExpressibleByNilLiteral {
        self.init(
            wrappedValue: nil, name, help: help, isSecret: isSecret, typeName: typeName, fileID: fileID, line: line,
            column: column)
    }

    /// Declares an optional field whose initial value is nil, with a condition that its values must meet.
    @inlinable public init(
        _ name: String? = nil, validation: @autoclosure () -> SettingsService.Validation<Value>, help: String? = nil,
        isSecret: Bool = false, typeName: StaticString = #function, fileID: StaticString = #fileID, line: Int = #line,
        column: Int = #column
    ) where Value: ExpressibleByNilLiteral {
        self.init(
            wrappedValue: nil, name, validation: validation(), help: help, isSecret: isSecret, typeName: typeName,
            fileID: fileID, line: line, column: column)
    }

    /// Creates the field of a value that was decoded.
    @inlinable init(decoded value: Value) { wrappedValue = value }
}

extension SettingField: Equatable where Value: Equatable {}

extension SettingField: Hashable where Value: Hashable {}

/// The value of the field alone.
extension SettingField: Codable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(decoded: try decoder.singleValueContainer().decode(Value.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

// The compiler prefers these to the functions for any type, so that a field is encoded like a property without an attribute.

extension KeyedEncodingContainer {
    /// Encodes the value of a field.
    @inlinable public mutating func encode<Value>(_ field: SettingField<Value>, forKey key: Key) throws {
        try encode(field.wrappedValue, forKey: key)
    }

    /// Encodes the value of an optional field, if it has one.
    @inlinable public mutating func encode<Value>(_ field: SettingField<Value?>, forKey key: Key) throws {
        try encodeIfPresent(field.wrappedValue, forKey: key)
    }

    /// Encodes the value of a field, if there is one.
    @inlinable public mutating func encodeIfPresent<Value>(_ field: SettingField<Value>?, forKey key: Key) throws {
        try encodeIfPresent(field?.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a field.
    @inlinable public func decode<Value>(
        _ type: SettingField<Value>.Type, forKey key: Key
    ) throws -> SettingField<Value> {
        SettingField(decoded: try decode(Value.self, forKey: key))
    }

    /// Decodes an optional field, which is nil if it is missing.
    @inlinable public func decode<Value>(
        _ type: SettingField<Value?>.Type, forKey key: Key
    ) throws -> SettingField<Value?> {
        SettingField(decoded: try decodeIfPresent(Value.self, forKey: key))
    }

    /// Decodes a field, if it is not missing.
    @inlinable public func decodeIfPresent<Value>(
        _ type: SettingField<Value>.Type, forKey key: Key
    ) throws -> SettingField<Value>? {
        try decodeIfPresent(Value.self, forKey: key).map { SettingField(decoded: $0) }
    }
}

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
/// The attribute's arguments belong to the structure's type: a field is encoded like its value, and is equal to another one if the
/// values are equal. They have an effect where the structure is stored field by field: in a ``SettingsStorage``, and as a nested
/// record. A structure that is stored as one value, such as an element of an array or an optional record, is neither validated nor
/// hidden by the attributes in it.
///
/// The property has an initial value, which may be nil without being written. Its coding key has the name of the property: to store
/// a field under another name, pass the name to the attribute, not to `CodingKeys`. Beside another property wrapper, `SettingField`
/// is the first one. A record that breaks these rules, that saves two fields under one name, that hides its properties from
/// `Mirror`, or whose ``SettingsRecord/empty`` was decoded, traps when it is first used. The attribute of a nested record can only
/// have a name.
@propertyWrapper public struct SettingField<Value: Codable & Sendable>: Sendable {
    /// The value of the field.
    public var wrappedValue: Value { didSet { mark.recordAssignment() } }

    private var mark: Mark

    /// What the attribute declares; nothing for a value that was decoded.
    ///
    /// Each assignment to the field goes over to the other case, which shows to which property a key path leads.
    private enum Mark: Sendable {
        case even(FieldAttribute<Value>)
        case odd(FieldAttribute<Value>)
        case none

        mutating func recordAssignment() {
            switch self {
            case .even(let attribute): self = .odd(attribute)
            case .odd(let attribute): self = .even(attribute)
            case .none: break
            }
        }
    }

    /// Declares a field that accepts each value of its type.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - name: The name in the store, without NUL; by default the name of the property.
    ///   - help: The purpose of the setting, in a sentence, for people who configure the program.
    ///   - isSecret: Whether tables, exports and messages show `•••` in place of the value.
    public init(wrappedValue: Value, _ name: String? = nil, help: String? = nil, isSecret: Bool = false) {
        self.wrappedValue = wrappedValue
        mark = .even(FieldAttribute(name: name, validation: nil, help: help, isSecret: isSecret))
    }

    /// Declares a field with a condition that its values must meet.
    public init(
        wrappedValue: Value, _ name: String? = nil, validation: SettingsService.Validation<Value>,
        help: String? = nil, isSecret: Bool = false
    ) {
        self.wrappedValue = wrappedValue
        mark = .even(FieldAttribute(name: name, validation: validation, help: help, isSecret: isSecret))
    }

    /// Declares an optional field whose initial value is nil.
    public init(_ name: String? = nil, help: String? = nil, isSecret: Bool = false)
    where Value: ExpressibleByNilLiteral {
        self.init(wrappedValue: nil, name, help: help, isSecret: isSecret)
    }

    /// Declares an optional field whose initial value is nil, with a condition that its values must meet.
    public init(
        _ name: String? = nil, validation: SettingsService.Validation<Value>, help: String? = nil,
        isSecret: Bool = false
    ) where Value: ExpressibleByNilLiteral {
        self.init(wrappedValue: nil, name, validation: validation, help: help, isSecret: isSecret)
    }

    /// Creates the field of a value that was decoded.
    fileprivate init(decoded value: Value) { (wrappedValue, mark) = (value, .none) }
}

/// What a field's attribute declares.
final class FieldAttribute<Value: Codable & Sendable>: AnyFieldAttribute {
    let name: String?
    let validation: SettingsService.Validation<Value>?
    let help: String?
    let isSecret: Bool

    init(name: String?, validation: SettingsService.Validation<Value>?, help: String?, isSecret: Bool) {
        (self.name, self.validation, self.help, self.isSecret) = (name, validation, help, isSecret)
    }

    var hasValidation: Bool { validation != nil }
}

/// What a field's attribute declares, whichever type its value has.
protocol AnyFieldAttribute: AnyObject, Sendable {
    /// The name in the store; nil for that of the property.
    var name: String? { get }
    var help: String? { get }
    var isSecret: Bool { get }
    var hasValidation: Bool { get }
}

/// A field's wrapper, whichever type its value has.
protocol FieldWrapper {
    var valueType: Any.Type { get }
    var anyValue: Any { get }
    /// What the attribute declares; nil for a value that was decoded.
    var attribute: (any AnyFieldAttribute)? { get }
    /// The place, in the wrapper, of a word that each assignment changes.
    var markOffset: Int { get }
}

extension SettingField: FieldWrapper {
    var valueType: Any.Type { Value.self }
    var anyValue: Any { wrappedValue }

    var markOffset: Int { MemoryLayout<Self>.size - MemoryLayout<Mark>.size }

    var attribute: (any AnyFieldAttribute)? {
        switch mark {
        case .even(let attribute), .odd(let attribute): attribute
        case .none: nil
        }
    }
}

extension SettingField: Equatable where Value: Equatable {
    /// Returns whether the values are equal.
    public static func == (one: SettingField, other: SettingField) -> Bool { one.wrappedValue == other.wrappedValue }
}

extension SettingField: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension SettingField: CustomStringConvertible {
    /// The value alone, or `•••` if it is a secret.
    public var description: String {
        if attribute?.isSecret ?? false { return SettingsService.SettingDefinition.hidden }
        return String(describing: wrappedValue)
    }
}

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
    public mutating func encode<Value>(_ field: SettingField<Value>, forKey key: Key) throws {
        try encode(field.wrappedValue, forKey: key)
    }

    /// Encodes the value of an optional field, if it has one.
    public mutating func encode<Value>(_ field: SettingField<Value?>, forKey key: Key) throws {
        try encodeIfPresent(field.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a field.
    public func decode<Value>(
        _ type: SettingField<Value>.Type, forKey key: Key
    ) throws -> SettingField<Value> {
        SettingField(decoded: try decode(Value.self, forKey: key))
    }

    /// Decodes an optional field, which is nil if it is missing.
    public func decode<Value>(
        _ type: SettingField<Value?>.Type, forKey key: Key
    ) throws -> SettingField<Value?> {
        SettingField(decoded: try decodeIfPresent(Value.self, forKey: key))
    }
}

import Synchronization

/// The arguments of a field's ``SettingField`` attribute.
protocol FieldAttribute: Sendable {
    /// The name in the store; nil for that of the property.
    var name: String? { get }
    var isSecret: Bool { get }
    var help: String? { get }
    var hasValidation: Bool { get }
    var valueType: Any.Type { get }
    /// A description of valid values, for messages.
    var expected: String { get }
    /// Whether the validation accepts nil, or need not: the field has no nil.
    var acceptsNil: Bool { get }

    /// Returns whether the validation accepts a value of the field, or of the type that is optional in the field.
    func accepts<Other>(_ value: Other) -> Bool

    /// Returns the definition of a setting with the field's values.
    ///
    /// - Parameter value: The default.
    /// - Returns: Nil if the record does not save the field as the type of the property.
    func setting(_ key: SettingsService.StorageKey, default value: Any) -> SettingsService.SettingDefinition?
}

@usableFromInline struct TypedFieldAttribute<Value: Codable & Sendable>: FieldAttribute {
    let name: String?
    let help: String?
    let isSecret: Bool
    private let validation: SettingsService.Validation<Value>?

    @usableFromInline init(
        name: String?, validation: SettingsService.Validation<Value>?, help: String?, isSecret: Bool
    ) {
        self.name = name
        self.validation = isSecret ? validation?.hidingValues : validation
        self.help = help
        self.isSecret = isSecret
    }

    var hasValidation: Bool { validation != nil }
    var valueType: Any.Type { Value.self }

    var expected: String {
        let text = TextForm<Value>.standard
        return validation.map { text.expected(with: $0) } ?? text.expected
    }

    var acceptsNil: Bool {
        guard let validation, let none = (Value.self as? any OptionalValue.Type)?.erasedNil as? Value else {
            return true
        }
        return validation.accepts(none)
    }

    func accepts<Other>(_ value: Other) -> Bool {
        guard let validation, let value = value as? Value else { return true }
        return validation.accepts(value)
    }

    func setting(_ key: SettingsService.StorageKey, default value: Any) -> SettingsService.SettingDefinition? {
        (value as? Value).map {
            SettingsService.Setting(field: key, default: $0, validation: validation, help: help, isSecret: isSecret)
        }
    }
}

/// Collects the attributes of fields while a record is created.
///
/// The initial values of properties are evaluated in each initializer, with the arguments of their attributes.
@usableFromInline enum AttributeCollection {
    /// The place of an attribute in the source: the order of the places in a type is that of its properties.
    @usableFromInline struct Place: Hashable, Comparable, Sendable {
        let typeName: String
        let fileID: String
        let line: Int
        let column: Int

        @usableFromInline init(typeName: StaticString, fileID: StaticString, line: Int, column: Int) {
            (self.typeName, self.fileID) = ("\(typeName)", "\(fileID)")
            (self.line, self.column) = (line, column)
        }

        @usableFromInline static func < (left: Place, right: Place) -> Bool {
            (left.fileID, left.line, left.column) < (right.fileID, right.line, right.column)
        }
    }

    private final class Found: Sendable {
        let attributes = Mutex<[Place: any FieldAttribute]>([:], .leaf)
    }

    @TaskLocal private static var found: Found?
    private static let activeCount = Atomic(0)

    /// Whether a thread collects attributes. Most records are created while none does.
    @usableFromInline static var isActive: Bool { activeCount.load(ordering: .relaxed) > 0 }

    @usableFromInline static func add<Value>(_ attribute: TypedFieldAttribute<Value>, at place: Place) {
        found?.attributes.withLock { $0[place] = attribute }
    }

    /// Returns the attributes that are evaluated while `body` runs.
    static func attributes(during body: () -> Void) -> [Place: any FieldAttribute] {
        activeCount.add(1, ordering: .relaxed)
        defer { activeCount.subtract(1, ordering: .relaxed) }
        let found = Found()
        $found.withValue(found, operation: body)
        return found.attributes.withLock { $0 }
    }
}

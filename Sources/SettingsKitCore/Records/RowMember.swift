#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field that was added to a row. It is serialized when its bytes are needed.
///
/// A class: a row is copied more often than created, and a reference takes less time to copy than a value of unknown type.
protocol RowMember: AnyObject {
    /// The layout of the value, if that is a record.
    var layout: RecordLayout? { get }
    /// Returns the definition of a setting whose default is the value; nil if only its JSON is known.
    func setting(
        _ key: SettingsService.StorageKey, _ attribute: (any FieldAttribute)?
    ) -> SettingsService.SettingDefinition?
    /// Returns whether the value has the type that the attribute validates.
    func canBeValidated(by attribute: any FieldAttribute) -> Bool
    /// Returns whether the validation of the field accepts the value.
    func isAccepted(by attribute: any FieldAttribute) -> Bool
    /// Returns the field's JSON.
    func encoded() throws -> Data
    /// Returns whether the other field has the same JSON, as far as that is known without serializing.
    func isIdentical(to other: any RowMember) -> Bool
}

/// A field with a value.
final class ValueMember<Value: Encodable>: RowMember {
    let value: Value

    init(value: Value) { self.value = value }

    var layout: RecordLayout? { (Value.self as? any SettingsRecord.Type).map { RecordLayout.of($0) } }

    func setting(
        _ key: SettingsService.StorageKey, _ attribute: (any FieldAttribute)?
    ) -> SettingsService.SettingDefinition? {
        if let setting = attribute?.setting(key, default: value) { return setting }
        guard let type = Value.self as? any Codable.Type else { return nil }
        // A record is `Sendable`, so the values of its fields are. At run time, nothing shows that a type is.
        typealias SendableType = any (Codable & Sendable).Type
        return setting(key, attribute, as: unsafeBitCast(type as any Codable.Type, to: SendableType.self))
    }

    private func setting<Field: Codable & Sendable>(
        _ key: SettingsService.StorageKey, _ attribute: (any FieldAttribute)?, as type: Field.Type
    ) -> SettingsService.SettingDefinition? {
        (value as? Field).map {
            SettingsService.Setting(
                field: key, default: $0, help: attribute?.help, isSecret: attribute?.isSecret ?? false)
        }
    }

    func canBeValidated(by attribute: any FieldAttribute) -> Bool {
        let type = attribute.valueType
        return type == Value.self || type == Value?.self || (type as? any OptionalValue.Type)?.wrappedType == Value.self
            || (Value.self as? any OptionalValue.Type)?.wrappedType == type
            || (Value.self as? any FieldWrapper.Type)?.valueType == type
    }

    func isAccepted(by attribute: any FieldAttribute) -> Bool {
        if let wrapper = value as? any FieldWrapper { return attribute.accepts(wrapper.anyValue) }
        return attribute.accepts(value)
    }

    func encoded() throws -> Data { try JSONScalars.data(ofMember: value) }

    /// Values with the same bits are the same value: numbers with the same digits, or references to the same objects, as in a copy
    /// of a record whose field was not changed. Equality is not enough: `0.0` and `-0.0` are equal and have different JSON, and a
    /// type may define different values as equal. Values with other bits can still have the same JSON.
    func isIdentical(to other: any RowMember) -> Bool {
        // A conditional cast would look up the type of its optional result at each call.
        guard type(of: other) == ValueMember<Value>.self else { return false }
        let other = unsafeDowncast(other, to: ValueMember<Value>.self)
        return withUnsafeBytes(of: value) { bytes in
            withUnsafeBytes(of: other.value) { bytes.elementsEqual($0) }
        }
    }
}

/// A field whose JSON is known.
final class DataMember: RowMember {
    let data: Data

    init(data: Data) { self.data = data }

    var layout: RecordLayout? { nil }

    func setting(
        _ key: SettingsService.StorageKey, _ attribute: (any FieldAttribute)?
    ) -> SettingsService.SettingDefinition? { nil }

    func canBeValidated(by attribute: any FieldAttribute) -> Bool { false }

    func isAccepted(by attribute: any FieldAttribute) -> Bool { true }

    func encoded() -> Data { data }

    func isIdentical(to other: any RowMember) -> Bool { (other as? DataMember)?.data == data }
}

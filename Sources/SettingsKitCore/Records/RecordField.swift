#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field of a record, whichever type its values have: a setting.
protocol RecordField: AnyObject, Sendable {
    /// The name in the record.
    var name: String { get }
    var definition: SettingsService.SettingDefinition { get }

    /// Returns the value in force, as a value of a type; nil if the field has another type.
    func value<Other>(as type: Other.Type, in reading: RecordReading) -> Other?
    /// Returns the bytes of the value in force, as the record stores them, to decode another type from them.
    func json(in reading: RecordReading) throws -> Data
    /// Returns whether the value in force is nil.
    func isNil(in reading: RecordReading) -> Bool

    /// Sets the field to a member of a record; to nil, or to its default, if the record has no such member.
    func set(
        _ member: (any RecordMember)?, in transaction: inout SettingsService.Transaction
    ) throws(SettingsError)
    /// Sets the field as a setting, unless it has the value; returns false if the value is of another type.
    func set<Other>(_ value: Other, in service: SettingsService) throws(SettingsError) -> Bool
    /// Returns whether bytes that are no value are stored where the field is written.
    func holdsOtherBytes(in transaction: inout SettingsService.Transaction) -> Bool
    /// Calls `signal` with the number of each commit that changes the value.
    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void
}

/// A field with values of a type.
final class FieldSetting<Value: Codable & Sendable>: RecordField {
    let name: String
    let setting: SettingsService.Setting<Value>
    /// The setting in the service; nil for a field that is only described.
    private let slot: Slot<Value>?

    init(_ name: String, _ setting: SettingsService.Setting<Value>, in service: SettingsService?) {
        (self.name, self.setting) = (name, setting)
        slot = service?.slot(for: setting)
    }

    var definition: SettingsService.SettingDefinition { setting }

    private func value(in reading: RecordReading) -> Value {
        switch reading.source {
        case .defaults: return setting.defaultValue
        case .memory:
            guard let slot else { return setting.defaultValue }
            let value = slot.value()
            if !slot.isCached { reading.isProvisional = true }
            return value
        case .transaction:
            guard let (value, refusal) = reading.transaction?.read(setting) else { return setting.defaultValue }
            if let refusal { reading.refusals[name] = refusal }
            return value
        }
    }

    func value<Other>(as type: Other.Type, in reading: RecordReading) -> Other? {
        if type == Value.self { return unsafeBitCast(value(in: reading), to: Other.self) }
        // The value may be optional here, and not there.
        if Value.self == Other?.self { return unsafeBitCast(value(in: reading), to: Other?.self) }
        return nil
    }

    func json(in reading: RecordReading) throws -> Data {
        let value = value(in: reading)
        let form = setting.coding.form
        if form.isStandard || (value as? any OptionalValue)?.isNil ?? false {
            return try JSONScalars.data(ofMember: value)
        }
        return try form.encode(value)
    }

    func isNil(in reading: RecordReading) -> Bool {
        _isOptional(Value.self) && (value(in: reading) as? any OptionalValue)?.isNil ?? false
    }

    // MARK: Writing

    func set(
        _ member: (any RecordMember)?, in transaction: inout SettingsService.Transaction
    ) throws(SettingsError) {
        guard let value = try value(of: member) else { return transaction.reset(setting) }
        if isRejectedDefault(value) { transaction.reset(setting) } else { transaction.set(setting, to: value) }
    }

    private func value(of member: (any RecordMember)?) throws(SettingsError) -> Value? {
        if member == nil || member is NilMember, let none = (Value.self as? any OptionalValue.Type)?.erasedNil as? Value
        {
            return none
        }
        guard let member else { return nil }
        if let value = member.value(as: Value.self) { return value }
        do {
            return try setting.coding.form.decode(member.json())
        } catch {
            throw SettingsError(.encodingFailed, key: setting.key, underlying: error)
        }
    }

    func set<Other>(_ value: Other, in service: SettingsService) throws(SettingsError) -> Bool {
        guard Other.self == Value.self, let slot else { return false }
        let value = unsafeBitCast(value, to: Value.self)
        let store = try slot.connection.requireSources(for: setting.key)
        // The value in force is not stored once more. What an unopened store answers is provisional.
        if store.isOpen, let data = optionalResult(of: setting.coding.bytesOfDefault, value),
            data == optionalResult(of: setting.coding.bytesOfDefault, slot.value())
        {
            let stored = try store.read(setting.key)[store.writable]?.content.data
            if stored == nil || stored == data { return true }
        }
        if isRejectedDefault(value) {
            try service.remove(setting, .ofSet)
        } else {
            try service.write(value, to: setting, .ofSet)
        }
        return true
    }

    /// Returns whether the validation rejects a value, which is the default and so is in force if nothing is stored.
    private func isRejectedDefault(_ value: Value) -> Bool {
        guard let validation = setting.coding.validation, !validation.accepts(value) else { return false }
        let data = optionalResult(of: setting.coding.bytesOfDefault, value)
        return data != nil && data == optionalResult(of: setting.coding.bytesOfDefault, setting.defaultValue)
    }

    func holdsOtherBytes(in transaction: inout SettingsService.Transaction) -> Bool {
        guard let data = transaction.data(for: setting.key) else { return false }
        return optionalResult(of: { try setting.coding.value(for: $0) }, data) == nil
    }

    /// Reports that the value in force is none for the record.
    func report(_ error: any Error, in reading: RecordReading) -> SettingsError {
        let problem = SettingsError.wrap(
            error, as: .decodingFailed, key: setting.key, store: slot?.connection.sources?.description)
        slot?.connection.reportOnce(problem, of: setting.key, bytes: optionalResult(of: { try json(in: $0) }, reading))
        return problem
    }

    func listen(_ signal: @escaping @Sendable (UInt64) -> Void) -> @Sendable () -> Void {
        guard let slot else { return {} }
        return slot.connection.listen(to: slot, .signal(signal))
    }
}

/// A value that a record encodes under a name, whichever type it has.
///
/// A class: a reference takes less time to copy than a value of unknown type.
protocol RecordMember: AnyObject {
    var name: String { get }
    /// Returns the value, if it has a type.
    func value<Other>(as type: Other.Type) -> Other?
    func json() throws -> Data
    /// Returns whether another member has the same JSON, as far as that is known without encoding.
    func isIdentical(to other: any RecordMember) -> Bool
    /// Returns the field whose default is the value.
    ///
    /// - Throws: `encodingFailed` if the type cannot be decoded, or if no key can have the name.
    func field(in list: RecordFieldList) throws(SettingsError) -> any RecordField
}

final class ValueMember<Value: Encodable>: RecordMember {
    let name: String
    private let value: Value

    init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }

    func value<Other>(as type: Other.Type) -> Other? {
        type == Value.self ? unsafeBitCast(value, to: Other.self) : nil
    }

    func json() throws -> Data { try JSONScalars.data(ofMember: value) }

    /// Values with the same bits are the same value: numbers with the same digits, or references to the same objects, as in a copy
    /// of a record whose field was not changed. Equality is not enough: `0.0` and `-0.0` are equal and have different JSON, and a
    /// type may define different values as equal. Values with other bits can still have the same JSON.
    func isIdentical(to other: any RecordMember) -> Bool {
        // A conditional cast would look up the type of its optional result at each call.
        guard type(of: other) == ValueMember<Value>.self else { return false }
        let other = unsafeDowncast(other, to: ValueMember<Value>.self)
        return withUnsafeBytes(of: value) { bytes in
            withUnsafeBytes(of: other.value) { bytes.elementsEqual($0) }
        }
    }

    func field(in list: RecordFieldList) throws(SettingsError) -> any RecordField {
        guard let type = RecordFieldList.valueType(Value.self) else {
            throw SettingsError(.encodingFailed, key: try list.key(of: name))
        }
        return try field(in: list, type)
    }

    private func field<Field: Codable & Sendable>(
        in list: RecordFieldList, _ type: Field.Type
    ) throws(SettingsError) -> any RecordField {
        try list.field(name, default: unsafeBitCast(value, to: Field.self))
    }
}

/// A member that is nil, of a type that is not known.
final class NilMember: RecordMember {
    let name: String

    init(_ name: String) { self.name = name }

    func value<Other>(as type: Other.Type) -> Other? { nil }

    func json() -> Data { Data("null".utf8) }

    func isIdentical(to other: any RecordMember) -> Bool { other is NilMember }

    func field(in list: RecordFieldList) throws(SettingsError) -> any RecordField {
        try list.field(name, default: Data?.none, form: StoredForm(BytesMember.Unchanged().forOptional()))
    }
}

/// A member in a form of its own.
final class BytesMember: RecordMember {
    struct Unchanged: Transformer {
        func transformValue(_ value: Data) -> Data { value }
        func untransformValue(_ output: Data) -> Data { output }
    }

    let name: String
    private let bytes: Data

    init(_ name: String, _ bytes: Data) { (self.name, self.bytes) = (name, bytes) }

    func value<Other>(as type: Other.Type) -> Other? { bytes as? Other }

    func json() -> Data { bytes }

    func isIdentical(to other: any RecordMember) -> Bool { other.value(as: Data.self) == bytes }

    func field(in list: RecordFieldList) throws(SettingsError) -> any RecordField {
        try list.field(name, default: bytes, form: StoredForm(Unchanged()))
    }
}

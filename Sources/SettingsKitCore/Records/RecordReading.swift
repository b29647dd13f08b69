#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the values of a record's fields, for one record.
package final class RecordReading {
    enum Source {
        /// The fields' defaults.
        case defaults
        /// The values in force, from memory.
        case memory
        /// What is stored, in ``RecordReading/transaction``.
        case transaction
    }

    let source: Source
    private(set) var list: RecordFieldList
    var transaction: SettingsService.Transaction?
    /// Why no other value of a field can be calculated from the one that was read.
    var refusals: [String: SettingsError] = [:]
    /// Whether a field is another one at the next reading, because its source could not be read.
    var isProvisional = false
    private var place = 0

    init(_ list: RecordFieldList, from source: Source, in transaction: SettingsService.Transaction? = nil) {
        (self.list, self.source, self.transaction) = (list, source, transaction)
    }

    /// Returns the field with a name. Most often that is the next one.
    func field(named name: String) -> (any RecordField)? {
        guard let found = list.place(of: name, near: place) else { return nil }
        place = found + 1
        return list.fields[found]
    }

    /// Adds a field that the empty record does not encode, when the record is first decoded.
    func learn(_ type: any Decodable.Type, _ name: String) {
        guard source == .defaults, let type = RecordFieldList.valueType(type) else { return }
        add(type, name)
    }

    private func add<Value: Codable & Sendable>(_ type: Value.Type, _ name: String) {
        // No field can have an invalid name. It is then missing.
        guard let field = optionalResult(of: { try list.field($0, default: Value?.none) }, name) else { return }
        list.add(field)
    }

    /// Adds a field of which the record only asks whether it is there. Any JSON is a value.
    func learn(_ name: String) {
        guard source == .defaults else { return }
        let form = StoredForm(BytesMember.Unchanged().forOptional())
        guard let field = optionalResult(of: { try list.field($0, default: Data?.none, form: form) }, name) else {
            return
        }
        list.add(field)
    }

    // MARK: Fields in a form of their own

    /// Returns the bytes of a field that are in force; nil if there is no such field.
    package func bytes(_ name: String) -> Data? { field(named: name)?.value(as: Data.self, in: self) }

    /// Returns the bytes of the empty record's field.
    package func defaultBytes(_ name: String) -> Data? {
        (field(named: name) as? FieldSetting<Data>)?.setting.defaultValue
    }

    /// Reports that the bytes of a field are no value of it, so that no other value is calculated from it.
    package func reject(_ name: String, because error: any Error) {
        guard let field = field(named: name) as? FieldSetting<Data> else { return }
        let problem = field.report(error, in: self)
        refusals[name] = SettingsError(
            problem.code, key: problem.key, underlying: StoredValueIsUnusable(cause: problem))
    }
}

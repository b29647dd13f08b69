#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes fields of a record, and finds the field to which an error belongs.
struct FieldEncoding {
    let recordKey: SettingsService.StorageKey
    let prefix: String

    /// - Throws: The errors of `body`, as a ``SettingsError`` with the key of the field that cannot be encoded if the key is known.
    func run<R>(_ body: () throws -> R) throws(SettingsError) -> R {
        HeldLocks.requireNone(before: "encoding")
        do {
            return try body()
        } catch let error as SettingsError {
            throw error
        } catch {
            var (field, cause) = (nil as String?, error)
            switch error {
            case let error as SettingsRow.FieldError: (field, cause) = (error.name, error.underlying)
            case EncodingError.invalidValue(_, let context): field = context.codingPath.first?.stringValue
            default: break
            }
            let name = field.map { prefix + $0 }.flatMap { SettingsService.StorageKey.isValid($0) ? $0 : nil }
            let key = name.map { SettingsService.StorageKey($0, scope: recordKey.scope) }
            throw SettingsError(.encodingFailed, key: key ?? recordKey, underlying: cause)
        }
    }

    static func requireValid(_ field: String, prefix: String) throws {
        if !SettingsService.StorageKey.isValid(prefix + field) { throw SettingsRow.InvalidName() }
    }

    /// Returns the bytes of a value as a field of a record; nil if the value alone cannot be encoded.
    static func data<Value>(of value: Value) throws -> Data? {
        // A nil in `Any` is not `Encodable`.
        if let optional = value as? any OptionalValue, optional.isNil { return SettingsRow.null }
        guard let value = value as? any Encodable else { return nil }
        var row = SettingsRow()
        try row.setMembers(of: Member(value: value), .plain)
        return try row.encoded("value")
    }

    /// A structure with one member, to encode the member like a record's field.
    private struct Member: Encodable {
        let value: any Encodable

        private enum Key: CodingKey { case value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .value)
        }
    }
}

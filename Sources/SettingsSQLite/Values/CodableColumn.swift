import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `Codable` value in a column: in SQLite's form if the value or its raw value has one, otherwise as JSON text.
struct CodableColumn<Value: Encodable>: SQLiteConvertible {
    let value: Value

    init(_ value: Value) { self.value = value }

    init?(sqliteValue: SQLiteValue) { nil }

    var sqliteValue: SQLiteValue {
        get throws {
            if let value = value as? any SQLiteConvertible { return try value.sqliteValue }
            if let raw = (value as? any RawRepresentable)?.rawConvertible { return try raw.sqliteValue }
            let json = try JSONEncoder.stable().encode(value)
            // An optional inside another value, for example a property wrapper.
            return json == Data("null".utf8) ? .null : .text(String(decoding: json, as: UTF8.self))
        }
    }
}

extension Decodable {
    /// Decodes the value of a column as ``CodableColumn`` stores it; nil if it has another form.
    ///
    /// - Throws: `DecodingError` if it is JSON of another type.
    static func value(inColumn stored: SQLiteValue) throws -> Self? {
        if let type = self as? any SQLiteConvertible.Type { return type.init(sqliteValue: stored) as? Self }
        if let type = self as? any OptionalColumn.Type { return try type.optional(inColumn: stored) as? Self }
        if let type = self as? any RawRepresentable.Type, let raw = type.rawConvertibleType {
            return type.value(ofRaw: raw.init(sqliteValue: stored)) as? Self
        }
        let json: String
        switch stored {
        case .text(let text): json = text
        // In a column that is declared as a number, a number's text becomes a number.
        case .integer(let number): json = "\(number)"
        case .real(let number): json = "\(number)"
        case .null, .blob: return nil
        }
        return try JSONDecoder.standard().decode(Self.self, from: Data(json.utf8))
    }
}

/// An optional whose value is in a column.
private protocol OptionalColumn {
    static func optional(inColumn stored: SQLiteValue) throws -> Self?
}

extension Optional: OptionalColumn where Wrapped: Decodable {
    fileprivate static func optional(inColumn stored: SQLiteValue) throws -> Wrapped?? {
        stored == .null ? .some(nil) : try Wrapped.value(inColumn: stored).map(Optional.some)
    }
}

extension RawRepresentable {
    /// The raw value, if its type has a form in SQLite.
    fileprivate var rawConvertible: (any SQLiteConvertible)? { rawValue as? any SQLiteConvertible }

    fileprivate static var rawConvertibleType: (any SQLiteConvertible.Type)? {
        RawValue.self as? any SQLiteConvertible.Type
    }

    fileprivate static func value(ofRaw raw: (any SQLiteConvertible)?) -> Self? {
        (raw as? RawValue).flatMap(Self.init(rawValue:))
    }
}

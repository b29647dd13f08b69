import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `Codable` value as a column holds it: JSON text.
struct JSONColumn<Value: Encodable>: SQLiteConvertible {
    let value: Value

    init(_ value: Value) { self.value = value }

    init?(sqliteValue: SQLiteValue) { nil }

    var sqliteValue: SQLiteValue {
        get throws { .text(String(decoding: try JSONEncoder.stable().encode(value), as: UTF8.self)) }
    }
}

extension JSONColumn where Value: Decodable {
    /// - Throws: `DecodingError`.
    static func value(of text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}

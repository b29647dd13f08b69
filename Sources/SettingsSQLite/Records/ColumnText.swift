import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a column as a setting's bytes: JSON that distinguishes integers, floating-point numbers, text and
/// bytes.
enum ColumnText {
    private struct Bytes: Codable {
        var bytes: Data
    }

    static func data(of value: SQLiteValue) throws -> Data {
        switch value {
        case .null: Data("null".utf8)
        case .integer(let number): Data("\(number)".utf8)
        // JSON readers read a number that is too large as infinity.
        case .real(let number) where number.isInfinite: Data((number > 0 ? "1e999" : "-1e999").utf8)
        case .real(let number): Data("\(number)".utf8)
        case .text(let text): try JSONEncoder().encode(text)
        case .blob(let bytes): try JSONEncoder().encode(Bytes(bytes: bytes))
        }
    }

    /// - Throws: `DecodingError` for anything else.
    static func value(of data: Data) throws -> SQLiteValue {
        switch data.first {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "\""): return .text(try JSONDecoder().decode(String.self, from: data))
        case UInt8(ascii: "{"): return .blob(try JSONDecoder().decode(Bytes.self, from: data).bytes)
        default:
            let text = String(decoding: data, as: UTF8.self)
            if let number = Int64(text) { return .integer(number) }
            if let number = Double(text) { return .real(number) }
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "It is not a value of a column."))
        }
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON value of any type, as a decoder reads it.
package enum JSONValue: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    /// A number with more digits than a `Double` has.
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads JSON in UTF-8. Nil for any other input, and for numbers that no case represents.
    package init?(json: Data) {
        if let scalar = JSONScanner.scan(json, Self.scalar) {
            self = scalar
            return
        }
        guard let value = optionalResult(of: { try JSONDecoder().decode(JSONValue.self, from: $0) }, json) else {
            return nil
        }
        self = value
    }

    /// Reads what needs no decoder: most values in files.
    private static func scalar(_ scanner: inout JSONScanner) -> JSONValue? {
        let value: JSONValue? =
            switch scanner.next {
            case UInt8(ascii: "\""): scanner.readString().map { .string($0) }
            case UInt8(ascii: "t"): scanner.skip(word: "true") ? .bool(true) : nil
            case UInt8(ascii: "f"): scanner.skip(word: "false") ? .bool(false) : nil
            case UInt8(ascii: "n"): scanner.skip(word: "null") ? .null : nil
            case let first? where first > UInt8(ascii: "0") && first <= UInt8(ascii: "9"):
                scanner.skipNumber().flatMap { scanner.integer(in: $0) as Int64? }.map { .integer($0) }
            // The decoder would take minus zero for an integer.
            case UInt8(ascii: "-"):
                scanner.skipNumber().flatMap { scanner.double(in: $0) }.flatMap { $0 == 0 ? .number($0) : nil }
            default: nil
            }
        return scanner.isAtEnd ? value : nil
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = optionalResult(of: container.decode, Bool.self) {
            self = .bool(value)
        } else if let value = optionalResult(of: container.decode, Int64.self) {
            self = .integer(value)
        } else if let value = optionalResult(of: container.decode, UInt64.self) {
            self = .unsigned(value)
        } else if let value = optionalResult(of: container.decode, Double.self) {
            let exact = optionalResult(of: container.decode, Decimal.self)
            self = exact.flatMap { $0 == Decimal(string: "\(value)") ? nil : .decimal($0) } ?? .number(value)
        } else if let value = optionalResult(of: container.decode, String.self) {
            self = .string(value)
        } else if let value = optionalResult(of: container.decode, [JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The value in a type of the standard library, or of Foundation for a `Decimal`; nil for `null`.
    var untyped: (any Sendable)? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .integer(let value): value
        case .unsigned(let value): value
        case .number(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.untyped)
        case .object(let members): members.mapValues(\.untyped)
        }
    }

    /// The text of the value, in JSON.
    package var text: String? {
        switch self {
        case .null: NilText.null
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        default: StandardText.writeJSON(self)
        }
    }
}

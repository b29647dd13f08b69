#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type whose values have a text other than their JSON.
protocol TextValue {
    /// Parses a text; returns nil if it is no value.
    static func value(_ text: String) -> Self?
    /// The text of the value; nil if it has none.
    var text: String? { get }
    static var textType: ValueDescription { get }
    /// Whether an enumeration with raw values of this type is written as its raw value: true for strings and integers.
    static var isRawValue: Bool { get }
    /// Returns the reason why a text is no value, if it is JSON of another shape.
    static func problem(_ text: String) -> CodingProblem?
    /// Returns the value of a text or a number in JSON that stands in the place of the usual form.
    static func tolerant(_ text: String) -> Self?
}

extension TextValue {
    static var isRawValue: Bool { false }
    static func tolerant(_ text: String) -> Self? { nil }
    static func problem(_ text: String) -> CodingProblem? { nil }
}

/// A Boolean: the words that stand for its values.
extension Bool: TextValue {
    static func value(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }

    static func tolerant(_ text: String) -> Bool? {
        value(text) ?? Double.value(text).flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
    }

    var text: String? { self ? "true" : "false" }
    static var textType: ValueDescription {
        ValueDescription("true or false", json: "boolean")
    }
}

extension String: TextValue {
    static func value(_ text: String) -> String? { text }
    var text: String? { self }
    static var isRawValue: Bool { true }
    static var textType: ValueDescription { ValueDescription("text", json: "string") }
}

extension Data: TextValue {
    static func value(_ text: String) -> Data? {
        text.hasPrefix("hex:") ? Data(hexadecimal: text.dropFirst(4)) : Data(base64Encoded: text)
    }

    private init?(hexadecimal digits: Substring) {
        let digits = digits.map { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }

    var text: String? { base64EncodedString() }
    static var textType: ValueDescription {
        ValueDescription(
            "data in base 64, or hex: and hexadecimal digits", json: "string", encoding: "base64")
    }
}

extension URL: TextValue {
    /// A path is a file: `/tmp/x.log`, `./x.log`, `../x.log`, `~/x.log`.
    static func value(_ text: String) -> URL? {
        if text.hasPrefix("~/") { return URL.homeDirectory.appending(path: String(text.dropFirst(2))) }
        let isPath = ["/", "./", "../"].contains { text.hasPrefix($0) }
        return isPath ? URL(filePath: text).absoluteURL.standardized : URL(string: text)
    }

    /// A URL without its base, as in the stored form.
    var text: String? { absoluteString }
    static var textType: ValueDescription {
        ValueDescription("a URL or the path of a file", json: "string", format: "uri-reference")
    }
}

extension UUID: TextValue {
    static func value(_ text: String) -> UUID? { UUID(uuidString: text) }
    var text: String? { uuidString }
    static var textType: ValueDescription {
        ValueDescription("a UUID", json: "string", format: "uuid")
    }
}

extension Optional: TextValue where Wrapped: Codable {
    static func value(_ text: String) -> Wrapped?? {
        if text == NilText.null { return .some(nil) }
        let value: Wrapped? = StandardText.hasText(Wrapped.self) ? StandardText.read(text) : StandardText.readJSON(text)
        return value.map(Optional.some)
    }

    var text: String? {
        guard let self else { return NilText.null }
        return StandardText.hasText(Wrapped.self) ? StandardText.write(self) : StandardText.writeJSON(self)
    }

    static var textType: ValueDescription { StandardText.type(of: Wrapped.self).optional }
    static func problem(_ text: String) -> CodingProblem? { StandardText.problem(text, as: Wrapped.self) }
}

extension TextValue where Self: FixedWidthInteger {
    static func value(_ text: String) -> Self? { Self(text) }

    static func tolerant(_ text: String) -> Self? {
        // Above this limit, a real number in the text may be another integer than the nearest `Double`.
        value(text) ?? Double.value(text).flatMap { abs($0) < 0x1p53 ? Self(exactly: $0) : nil }
    }

    var text: String? { String(self) }
    static var isRawValue: Bool { true }

    static var textType: ValueDescription {
        var type = ValueDescription("an integer", json: "integer")
        if Self.self != Int.self && Self.self != Int64.self {
            type.constraint.minimum = String(Self.min)
            if Self.bitWidth < 64 { type.constraint.maximum = String(Self.max) }
            type.limits = Self.bitWidth < 64 ? " from \(Self.min) to \(Self.max)" : " of at least 0"
        }
        return type
    }
}

extension Int: TextValue {}
extension Int64: TextValue {}
extension Int32: TextValue {}
extension Int16: TextValue {}
extension Int8: TextValue {}
extension UInt: TextValue {}
extension UInt64: TextValue {}
extension UInt32: TextValue {}
extension UInt16: TextValue {}
extension UInt8: TextValue {}

/// Checks the text of a number with a fraction.
private enum DecimalText {
    /// Returns whether a text has the characters of a decimal number: not `0x10`, `inf` or `nan`.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
    }

    static let type = ValueDescription("a number", json: "number")
}

extension TextValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static func value(_ text: String) -> Self? {
        guard DecimalText.isPlain(text), let value = Self(text), value.isFinite else { return nil }
        return value
    }

    static func tolerant(_ text: String) -> Self? { value(text) }

    var text: String? {
        guard isFinite else { return nil }
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static var textType: ValueDescription { DecimalText.type }
}

extension Double: TextValue {}
extension Float: TextValue {}

extension Decimal: TextValue {
    static func value(_ text: String) -> Decimal? {
        // The initializer reads the beginning of a text, and ignores the rest.
        guard DecimalText.isPlain(text), Double(text) != nil, let value = Decimal(string: text), value.isFinite
        else { return nil }
        return value
    }

    var text: String? { isFinite ? description : nil }
    static var textType: ValueDescription { DecimalText.type }
}

/// Decodes Booleans and numbers in other forms that people and other programs write: a number or a text in place of a Boolean, a text
/// in place of a number, and a real number without a fraction in place of an integer.
enum TolerantDecoding {
    /// - Returns: Nil if the bytes are no other form of the type.
    static func value<Value>(from data: Data) -> Value? {
        let text = JSONScanner.scan(data) { scanner -> String? in
            let isString = scanner.next == UInt8(ascii: "\"")
            let text = isString ? scanner.readString() : scanner.skipNumber().flatMap { scanner.text(in: $0) }
            return scanner.isAtEnd ? text : nil
        }
        let type: Any.Type = (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self
        // In two steps: casting "no value" to an optional type would give its nil.
        guard let text, let value = (type as? any TextValue.Type)?.tolerant(text) else { return nil }
        return value as? Value
    }
}

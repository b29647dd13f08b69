#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes single scalars as JSON without an encoder: the same bytes, in a tenth of the time.
///
/// Both directions return nil for everything that is not plain (escapes in a string, exponents in an integer, NaN).
/// Then the encoder and decoder do the work, and report the errors.
struct JSONScalarCoding<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) -> Data?
    let decode: @Sendable (Data) -> Value?

    /// - Returns: nil if `Value` is not one of the scalar types.
    init?() {
        switch Value.self {
        case is Bool.Type: self.init(encode: Self.encodeBool, decode: Self.decodeBool)
        case is Int.Type: self.init(integer: Int.self)
        case is Int64.Type: self.init(integer: Int64.self)
        case is Int32.Type: self.init(integer: Int32.self)
        case is Int16.Type: self.init(integer: Int16.self)
        case is Int8.Type: self.init(integer: Int8.self)
        case is UInt.Type: self.init(integer: UInt.self)
        case is UInt64.Type: self.init(integer: UInt64.self)
        case is UInt32.Type: self.init(integer: UInt32.self)
        case is UInt16.Type: self.init(integer: UInt16.self)
        case is UInt8.Type: self.init(integer: UInt8.self)
        case is Double.Type: self.init(encode: Self.encodeDouble, decode: Self.decodeDouble)
        case is String.Type: self.init(encode: Self.encodeString, decode: Self.decodeString)
        default: return nil
        }
    }

    /// Converts functions over a scalar type to functions over `Value`; nil if `Value` is another type.
    private init?<Scalar>(
        encode: @escaping @Sendable (Scalar) -> Data?, decode: @escaping @Sendable (Data) -> Scalar?
    ) {
        guard let encode = encode as? @Sendable (Value) -> Data?, let decode = decode as? @Sendable (Data) -> Value?
        else { return nil }
        self.encode = encode
        self.decode = decode
    }

    private init?<Integer: FixedWidthInteger & Sendable>(integer: Integer.Type) {
        self.init(
            encode: { (value: Integer) in Self.data(String(value)) },
            decode: { (bytes: Data) -> Integer? in
                bytes.withUnsafeBytes { JSONScalarCoding.integer(in: $0) }
            })
    }

    /// The bytes of a text. Made of its UTF-8 view, they would cost the search for a conformance each time.
    static func data(_ text: String) -> Data {
        var text = text
        return text.withUTF8 { Data(buffer: $0) }
    }

    /// A JSON integer without leading zeros, fraction or exponent.
    static func integer<Integer: FixedWidthInteger>(in bytes: UnsafeRawBufferPointer) -> Integer? {
        var digits = bytes[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative {
            guard Integer.isSigned else { return nil }
            digits.removeFirst()
        }
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var value: Integer = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let digit = Integer(truncatingIfNeeded: byte - UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    @Sendable static func encodeBool(_ value: Bool) -> Data? { data(value ? "true" : "false") }

    @Sendable static func decodeBool(_ bytes: Data) -> Bool? {
        if bytes.elementsEqual("true".utf8) { return true }
        return bytes.elementsEqual("false".utf8) ? false : nil
    }

    @Sendable static func encodeDouble(_ value: Double) -> Data? {
        guard value.isFinite else { return nil }
        let text = value.description
        return data(String(text.hasSuffix(".0") ? text.dropLast(2) : text[...]))
    }

    @Sendable static func decodeDouble(_ bytes: Data) -> Double? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        func isDigit(_ byte: UInt8?) -> Bool { byte.map(digits.contains) ?? false }
        let isPlain = bytes.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        // Longer ones may be too large or too small for a Double, which the decoder decides.
        guard bytes.count <= 24, isPlain, isDigit(bytes.last), isDigit(bytes.first) || bytes.first == UInt8(ascii: "-"),
            let text = String(validating: bytes, as: UTF8.self), !text.hasPrefix("-."),
            !Self.hasLeadingZero(bytes)
        else { return nil }
        return Double(text)
    }

    private static func hasLeadingZero(_ bytes: Data) -> Bool {
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard digits.count > 1, digits.first == UInt8(ascii: "0") else { return false }
        return digits.dropFirst().first != UInt8(ascii: ".")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    @Sendable static func encodeString(_ value: String) -> Data? {
        guard value.utf8.allSatisfy(isPlain) else { return nil }
        var bytes = Data(capacity: value.utf8.count + 2)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    @Sendable static func decodeString(_ bytes: Data) -> String? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return nil }
        let content = bytes.dropFirst().dropLast()
        guard content.allSatisfy(isPlain) else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}

/// Encodes and decodes scalars whose type is known only at run time, without an encoder. Returns nil for what is not
/// plain, as ``JSONScalarCoding`` does.
enum JSONScalars {
    static func encoded<Value>(_ value: Value) -> Data? {
        switch value {
        case let value as Bool: JSONScalarCoding<Bool>.encodeBool(value)
        case let value as Int: JSONScalarCoding<Int>.data(String(value))
        case let value as Double: JSONScalarCoding<Double>.encodeDouble(value)
        case let value as String: JSONScalarCoding<String>.encodeString(value)
        case let value as Date: JSONScalarCoding<Double>.encodeDouble(value.timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    /// A value of any type, decoded by the decoder if there is no shorter way.
    static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decoded(type, from: data) ?? JSONDecoder().decode(type, from: data)
    }

    private static func decoded<Value>(_ type: Value.Type, from data: Data) -> Value? {
        if type == Bool.self { return JSONScalarCoding<Bool>.decodeBool(data) as? Value }
        if type == Int.self { return data.withUnsafeBytes { JSONScalarCoding<Int>.integer(in: $0) as Int? } as? Value }
        if type == Double.self { return JSONScalarCoding<Double>.decodeDouble(data) as? Value }
        if type == String.self { return JSONScalarCoding<String>.decodeString(data) as? Value }
        if type == Date.self {
            return JSONScalarCoding<Double>.decodeDouble(data).map(Date.init(timeIntervalSinceReferenceDate:)) as? Value
        }
        if type == URL.self {
            return JSONScalarCoding<String>.decodeString(data).flatMap { URL(string: $0) } as? Value
        }
        return nil
    }
}

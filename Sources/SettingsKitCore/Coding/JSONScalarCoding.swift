#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes single scalars as JSON without an encoder: the same bytes, in a tenth of the time.
///
/// Both directions return nil for a value that is not plain (a string to be escaped, an exponent, NaN). The encoder and decoder
/// then handle it, and report the errors. A duration is its text.
struct JSONScalarCoding<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) -> Data?
    let decode: @Sendable (Data) throws -> Value?

    /// - Returns: nil if `Value` is not one of the scalar types.
    init?() {
        switch Value.self {
        case is Bool.Type: self.init(encode: Self.encodeBool, decode: Self.decodeBool)
        case is Int.Type: self.init(encode: { JSONScalars.data(of: $0) }, decode: { Self.decodeInteger($0) as Int? })
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
        case is Duration.Type: self.init(encode: Self.encodeDuration, decode: Self.decodeDuration)
        case is Duration?.Type:
            self.init(
                encode: { (value: Duration?) in value.flatMap(Self.encodeDuration) },
                decode: { (bytes: Data) -> Duration?? in try Self.decodeDuration(bytes).map { .some($0) } })
        default: return nil
        }
    }

    /// Converts functions of a scalar type to functions of `Value`; nil if `Value` is another type.
    private init?<Scalar>(
        encode: @escaping @Sendable (Scalar) -> Data?, decode: @escaping @Sendable (Data) throws -> Scalar?
    ) {
        guard let encode = encode as? @Sendable (Value) -> Data?,
            let decode = decode as? @Sendable (Data) throws -> Value?
        else { return nil }
        self.encode = encode
        self.decode = decode
    }

    private init?<Integer: FixedWidthInteger & Sendable>(integer: Integer.Type) {
        self.init(
            encode: { (value: Integer) in Self.data(String(value)) },
            decode: { (bytes: Data) -> Integer? in JSONScalarCoding.decodeInteger(bytes) })
    }

    /// Returns the bytes of a text. Creating them from the UTF-8 view would search for a conformance each time.
    static func data(_ text: String) -> Data {
        var text = text
        return text.withUTF8 { Data(buffer: $0) }
    }

    static func decodeInteger<Integer: FixedWidthInteger>(_ bytes: Data) -> Integer? {
        JSONScanner.scan(bytes) { $0.integer(in: 0..<bytes.count) }
    }

    @Sendable static func encodeBool(_ value: Bool) -> Data? { data(value ? "true" : "false") }

    @Sendable static func decodeBool(_ bytes: Data) -> Bool? {
        JSONScanner.scan(bytes) { scanner in
            let isTrue = scanner.skip(word: "true")
            return (isTrue || scanner.skip(word: "false")) && scanner.isAtEnd ? isTrue : nil
        }
    }

    @Sendable static func encodeDouble(_ value: Double) -> Data? {
        guard value.isFinite else { return nil }
        let text = value.description
        return data(String(text.hasSuffix(".0") ? text.dropLast(2) : text[...]))
    }

    @Sendable static func decodeDouble(_ bytes: Data) -> Double? {
        // Longer numbers, and those with an exponent, may be too large or too small for a `Double`. The decoder decides.
        guard bytes.count <= 24 else { return nil }
        return JSONScanner.scan(bytes) { scanner in
            guard let number = scanner.skipNumber(), scanner.isAtEnd,
                !bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
            else { return nil }
            return scanner.double(in: number)
        }
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
        JSONScanner.scan(bytes) { scanner in
            guard let string = scanner.readString(), scanner.isAtEnd else { return nil }
            return string
        }
    }

    @Sendable static func encodeDuration(_ value: Duration) -> Data? { value.text.flatMap(encodeString) }

    /// - Throws: `DecodingError` for a text that is no duration.
    @Sendable static func decodeDuration(_ bytes: Data) throws -> Duration? {
        guard let text = decodeString(bytes) else { return nil }
        if let value = Duration.value(text) { return value }
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text is not a duration."))
    }
}

/// Encodes and decodes scalars whose type is known only at run time, without an encoder. Returns nil for a value that is not plain,
/// as ``JSONScalarCoding`` does.
enum JSONScalars {
    /// Returns the digits of an integer. Not generic over integers, because that takes twice as long, which matters at each `set`.
    static func data(of value: Int) -> Data {
        // 19 digits and a sign.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var (start, rest) = (text.count, value.magnitude)
            repeat {
                start -= 1
                let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
                text[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
                rest = tenth
            } while rest > 0
            if value < 0 {
                start -= 1
                text[start] = UInt8(ascii: "-")
            }
            return Data(buffer: UnsafeMutableBufferPointer(rebasing: text[start...]))
        }
    }

    /// Encodes a member of an object as ``JSONTransformer`` does, with the encoder if there is no shorter way.
    ///
    /// A value that encodes nothing is `{}`, as inside an object. An encoder rejects such a value alone, so it encodes an array of
    /// the value.
    static func data(ofMember value: some Encodable) throws -> Data {
        if let data = encoded(value) { return data }
        let encoder = JSONEncoder.stable()
        if let set = value as? any OrderlessCollection { return try set.orderedJSON(by: encoder) }
        return Data(try encoder.encode([value]).dropFirst().dropLast())
    }

    private static func encoded<Value>(_ value: Value) -> Data? {
        switch value {
        case let value as Bool: JSONScalarCoding<Bool>.encodeBool(value)
        case let value as Int: data(of: value)
        case let value as Double: JSONScalarCoding<Double>.encodeDouble(value)
        case let value as String: JSONScalarCoding<String>.encodeString(value)
        case let value as Date: value.iso8601.flatMap(JSONScalarCoding<String>.encodeString)
        case let value as Duration: JSONScalarCoding<Duration>.encodeDuration(value)
        default: nil
        }
    }

    /// Decodes a value of any type, with the decoder if there is no shorter way.
    static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decoded(type, from: data) ?? JSONDecoder.standard().decode(type, from: data)
    }

    private static func decoded<Value>(_ type: Value.Type, from data: Data) throws -> Value? {
        if type == Bool.self { return JSONScalarCoding<Bool>.decodeBool(data) as? Value }
        if type == Int.self { return (JSONScalarCoding<Int>.decodeInteger(data) as Int?) as? Value }
        if type == Double.self { return JSONScalarCoding<Double>.decodeDouble(data) as? Value }
        if type == String.self { return JSONScalarCoding<String>.decodeString(data) as? Value }
        if type == Date.self {
            return JSONScalarCoding<String>.decodeString(data).flatMap { Date(iso8601: $0) } as? Value
        }
        if type == URL.self {
            return JSONScalarCoding<String>.decodeString(data).flatMap { URL(string: $0) } as? Value
        }
        if type == Duration.self || type == Duration?.self {
            // Casting "no value" to an optional type would give its nil.
            guard let value = try JSONScalarCoding<Duration>.decodeDuration(data) else { return nil }
            return value as? Value
        }
        return nil
    }
}

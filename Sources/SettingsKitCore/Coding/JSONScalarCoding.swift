#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type whose values are encoded and decoded as JSON without an encoder: the same bytes, in a tenth of the time.
///
/// Both directions return nil for a value that is not plain (a string to be escaped, an exponent, NaN). The encoder and decoder
/// then handle it, and report the errors. A duration is its text.
protocol JSONScalar: Sendable {
    var json: Data? { get }
    static func value(json: Data) throws -> Self?
}

/// The functions of a scalar type, as functions of `Value`.
struct JSONScalarCoding<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) -> Data?
    let decode: @Sendable (Data) throws -> Value?

    /// - Returns: nil if `Value` is not one of the scalar types.
    init?() {
        guard let type = Value.self as? any JSONScalar.Type else { return nil }
        self.init(of: type)
    }

    private init?<Scalar: JSONScalar>(of type: Scalar.Type) {
        let encode: @Sendable (Scalar) -> Data? = { $0.json }
        let decode: @Sendable (Data) throws -> Scalar? = { try Scalar.value(json: $0) }
        guard let encode = encode as? @Sendable (Value) -> Data?,
            let decode = decode as? @Sendable (Data) throws -> Value?
        else { return nil }
        (self.encode, self.decode) = (encode, decode)
    }
}

extension Bool: JSONScalar {
    var json: Data? { Data(jsonText: self ? "true" : "false") }

    static func value(json: Data) -> Bool? {
        JSONScanner.scan(json) { scanner in
            let isTrue = scanner.skip(word: "true")
            return (isTrue || scanner.skip(word: "false")) && scanner.isAtEnd ? isTrue : nil
        }
    }
}

extension Int: JSONScalar {
    var json: Data? { JSONScalars.data(of: self) }
    static func value(json: Data) -> Int? { JSONScanner.scan(json) { $0.integer(in: 0..<json.count) } }
}

extension Double: JSONScalar {
    var json: Data? { text.map { Data(jsonText: $0) } }

    static func value(json: Data) -> Double? {
        // Longer numbers, and those with an exponent, may be too large or too small for a `Double`. The decoder decides.
        guard json.count <= 24 else { return nil }
        return JSONScanner.scan(json) { scanner in
            guard let number = scanner.skipNumber(), scanner.isAtEnd,
                !json.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
            else { return nil }
            return scanner.double(in: number)
        }
    }
}

extension String: JSONScalar {
    var json: Data? {
        let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard isPlain else { return nil }
        var bytes = Data(capacity: utf8.count + 2)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: utf8)
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    static func value(json: Data) -> String? {
        JSONScanner.scan(json) { scanner in
            guard let string = scanner.readString(), scanner.isAtEnd else { return nil }
            return string
        }
    }
}

extension Duration: JSONScalar {
    var json: Data? { text?.json }

    /// - Throws: `DecodingError` for a text that is no duration.
    static func value(json: Data) throws -> Duration? {
        guard let text = String.value(json: json) else { return nil }
        if let value = value(text) { return value }
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text is not a duration."))
    }
}

extension Optional: JSONScalar where Wrapped == Duration {
    var json: Data? { self?.json }
    static func value(json: Data) throws -> Duration?? { try Duration.value(json: json).map { .some($0) } }
}

extension Data {
    /// Creates the bytes of a text. From the UTF-8 view, this would search for a conformance each time.
    fileprivate init(jsonText text: String) {
        var text = text
        self = text.withUTF8 { Data(buffer: $0) }
    }
}

/// Encodes and decodes values whose type is known only at run time.
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
        if let data = (value as? any JSONScalar)?.json { return data }
        let encoder = JSONEncoder.stable()
        if let set = value as? any OrderlessCollection { return try set.orderedJSON(by: encoder) }
        return Data(try encoder.encode([value]).dropFirst().dropLast())
    }

    /// Decodes a value of any type, with the decoder if there is no shorter way.
    static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // In two steps: casting "no value" to an optional type would give its nil.
        if let scalar = try (type as? any JSONScalar.Type)?.value(json: data), let value = scalar as? Value {
            return value
        }
        return try JSONDecoder.standard().decode(type, from: data)
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores a `Codable` value as JSON text: the transformer of every setting that names none.
///
/// Without arguments it writes compact JSON with sorted keys and plain slashes, so that equal values give equal bytes
/// and a property list can show them natively. Numbers, Booleans and plain strings take a short cut around the encoder;
/// the bytes are the same. A `Set` has no order of its own, so its elements are written in the order of their encoded
/// bytes. That holds for a setting whose value is a `Set`; a `Set` inside another value is written in the order that it
/// happens to have, so that setting an equal value may count as a change.
public struct JSONTransformer<Value: Codable & Sendable>: Transformer {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder
    private let shortcut: JSONScalarCoding<Value>?

    /// JSON in the form that stores show natively.
    public init() {
        encoder = .stable()
        decoder = JSONDecoder()
        shortcut = JSONScalarCoding()
    }

    /// JSON with an encoder and a decoder of your own, for date strategies, key strategies and the like.
    ///
    /// Do not change the two afterwards: they are used from any thread. Keep `.sortedKeys` in the encoder's output
    /// formatting, so that equal values give equal bytes.
    public init(encoder: JSONEncoder, decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder
        self.decoder = decoder
        shortcut = nil
    }

    /// JSON as usual on the way in, with a decoder of your own on the way out.
    public init(decoder: JSONDecoder) {
        self.init(encoder: .stable(), decoder: decoder)
    }

    /// The JSON text of a value.
    ///
    /// - Throws: `EncodingError` for what JSON cannot hold, `Double.nan` for example.
    public func transformValue(_ value: Value) throws -> Data {
        if let bytes = shortcut?.encode(value) { return bytes }
        if let set = value as? any OrderlessCollection { return try set.orderedJSON(by: encoder) }
        return try encoder.encode(value)
    }

    /// The value that the JSON text stands for.
    ///
    /// - Throws: `DecodingError` when the text is not JSON or is JSON of something else.
    public func untransformValue(_ output: Data) throws -> Value {
        if let value = shortcut?.decode(output) { return value }
        return try decoder.decode(Value.self, from: output)
    }
}

/// A collection whose elements come in another order from one run to the next.
private protocol OrderlessCollection {
    func orderedJSON(by encoder: JSONEncoder) throws -> Data
}

extension Set: OrderlessCollection where Element: Encodable {
    func orderedJSON(by encoder: JSONEncoder) throws -> Data {
        let elements = try map { try encoder.encode($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        var json = Data("[".utf8)
        for (position, element) in elements.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            json.append(element)
        }
        json.append(UInt8(ascii: "]"))
        return json
    }
}

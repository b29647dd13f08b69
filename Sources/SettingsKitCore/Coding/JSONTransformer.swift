#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores a `Codable` value as JSON text. Every setting without another transformer uses it.
///
/// Without arguments, it writes compact JSON with sorted keys and without escaped slashes, so that equal values have equal bytes
/// and a property list can store them natively. Numbers, Booleans and plain strings bypass the encoder; the bytes are the same.
///
/// A `Date`, also inside another value, is text in ISO 8601 and UTC with as many digits of a second as it needs, such as
/// `"2026-11-27T18:29:15Z"`. A `Duration` or `Duration?` is text such as `"1h30m"` or `"1.5s"`; inside another value, it is as
/// Swift encodes it. The seconds since 2001 of a date, and Swift's encoding of a duration, are also read.
///
/// The elements of a `Set` have no order, so they are sorted by their encoded bytes. That holds for a setting whose value is a `Set`,
/// and for a field of a record. A `Set` inside another value keeps its accidental order, so setting an equal value may be a change.
public struct JSONTransformer<Value: Codable & Sendable>: Transformer {
    private let encoder: JSONEncoder
    let decoder: JSONDecoder
    private let shortcut: JSONScalarCoding<Value>?

    /// Creates a transformer whose JSON stores can keep natively.
    public init() {
        encoder = .stable()
        decoder = .standard()
        shortcut = JSONScalarCoding()
    }

    /// Creates a transformer with your encoder and decoder, to choose date and key strategies, for example.
    ///
    /// Do not change the encoder and the decoder afterwards: they are used from any thread. Keep `.sortedKeys` in the encoder's
    /// output formatting, so that equal values have equal bytes.
    public init(encoder: JSONEncoder, decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder
        self.decoder = decoder
        shortcut = nil
    }

    /// Creates a transformer with the usual encoder and your decoder. Dates are numbers if your decoder has no strategy for dates.
    public init(decoder: JSONDecoder) {
        let encoder = JSONEncoder.stable()
        if case .deferredToDate = decoder.dateDecodingStrategy { encoder.dateEncodingStrategy = .deferredToDate }
        self.init(encoder: encoder, decoder: decoder)
    }

    /// Encodes a value as JSON text.
    ///
    /// - Throws: `EncodingError` if JSON cannot represent the value, as with `Double.nan`.
    public func transformValue(_ value: Value) throws -> Data {
        if let bytes = shortcut?.encode(value) { return bytes }
        return try encoder.orderedJSON(of: value)
    }

    /// Decodes a value from JSON text.
    ///
    /// - Throws: `DecodingError` if the text is not JSON, or not JSON of this type.
    public func untransformValue(_ output: Data) throws -> Value {
        if let value = try shortcut?.decode(output) { return value }
        return try decoder.decode(Value.self, from: output)
    }
}

extension JSONEncoder {
    /// Encodes a value; a `Set` with its elements in the order of their bytes.
    func orderedJSON(of value: some Encodable) throws -> Data {
        if let set = value as? any OrderlessCollection { return try set.orderedJSON(by: self) }
        return try encode(value)
    }
}

/// A collection whose elements have another order in each run.
protocol OrderlessCollection {
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

extension JSONEncoder {
    /// Returns an encoder that encodes equal values as equal bytes, which a property list can store natively: sorted keys,
    /// slashes not escaped. A date is text in ISO 8601, or a number if it has none.
    package static func stable() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            if let text = date.iso8601 {
                try container.encode(text)
            } else {
                try container.encode(date.timeIntervalSinceReferenceDate)
            }
        }
        return encoder
    }
}

extension JSONDecoder {
    /// Returns a decoder of what ``JSONEncoder/stable()`` encodes. A date may also be a number: the seconds since 2001.
    package static func standard() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let text = optionalResult(of: container.decode, String.self) else {
                return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
            }
            if let date = Date(iso8601: text) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a date.")
        }
        return decoder
    }
}

/// Decodes values that lack members, because an older version of the program has stored them.
protocol MemberFilling<Input, Output>: Transformer {
    /// Decodes a value, and takes missing members from the encoded default.
    ///
    /// - Throws: `DecodingError.keyNotFound` if the default lacks the member, too, or the error of decoding.
    func untransformValue(_ output: Output, missingMembersFrom default: Input) throws -> Input
}

extension JSONTransformer: MemberFilling {
    func untransformValue(_ output: Data, missingMembersFrom default: Value) throws -> Value {
        guard let encoded = optionalResult(of: transformValue, `default`) else { return try untransformValue(output) }
        return try decoder.decode(Value.self, from: output, missingMembersFrom: encoded)
    }
}

extension JSONDecoder {
    /// Decodes JSON. While a member is missing, takes that member from the same place in the JSON of a default.
    ///
    /// Objects are never merged: that would restore members that were removed on purpose, such as the entries of a dictionary.
    func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, missingMembersFrom default: Data
    ) throws -> Value {
        var (data, tree) = (data, JSONValue(json: data))
        while true {
            do {
                return try decode(type, from: data)
            } catch DecodingError.keyNotFound(let key, let context) {
                let path = (context.codingPath + [key]).map(\.stringValue)
                guard let source = JSONValue(json: `default`), let filled = tree?.filled(path[...], from: source) else {
                    throw DecodingError.keyNotFound(key, context)
                }
                (data, tree) = (Data(filled.compact.utf8), filled)
            }
        }
    }
}

extension JSONValue {
    /// Returns the value with one member of `source`; nil if `source` lacks it, or if this value has it.
    fileprivate func filled(_ path: ArraySlice<String>, from source: JSONValue) -> JSONValue? {
        guard case .object(var members) = self, let name = path.first, let other = source.members?[name] else {
            return nil
        }
        let place = members.firstIndex { $0.name == name }
        if path.count == 1 {
            if place != nil { return nil }
            members.append((name, other))
        } else {
            guard let place, let filled = members[place].value.filled(path.dropFirst(), from: other) else { return nil }
            members[place].value = filled
        }
        return .object(members)
    }
}

extension ChainedTransformer: MemberFilling where First: MemberFilling {
    func untransformValue(_ output: Second.Output, missingMembersFrom default: First.Input) throws -> First.Input {
        try first.untransformValue(second.untransformValue(output), missingMembersFrom: `default`)
    }
}

extension OptionalTransformer: MemberFilling where Base: MemberFilling {
    func untransformValue(_ output: Base.Output, missingMembersFrom default: Base.Input?) throws -> Base.Input? {
        guard let `default` else { return try base.untransformValue(output) }
        return try base.untransformValue(output, missingMembersFrom: `default`)
    }
}

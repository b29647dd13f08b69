#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue: MemberTree {
    package init(members: [String: JSONValue]) { self = .object(members) }

    package var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONTransformer: MemberFilling {
    package func untransformValue(_ output: Data, missingMembersFrom default: Value) throws -> Value {
        guard let encoded = optionalResult(of: transformValue, `default`) else { return try untransformValue(output) }
        return try decoder.decode(Value.self, from: output, missingMembersFrom: encoded)
    }
}

extension JSONDecoder {
    /// Decodes JSON, and takes missing members from the JSON of a default.
    func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, missingMembersFrom default: Data
    ) throws -> Value {
        guard let tree = JSONValue(json: data), let source = JSONValue(json: `default`) else {
            return try decode(type, from: data)
        }
        let encoder = JSONEncoder.stable()
        return try tree.decode(missingMembersFrom: source, name: { self.name(of: $0) }) { tree in
            try self.decode(type, from: encoder.encode(tree))
        }
    }

    /// Returns the decoder's spelling of the last name of a path in JSON, after its strategy for keys.
    private func name(of path: [String]) -> String? {
        if case .useDefaultKeys = keyDecodingStrategy { return path.last }
        let skeleton = path.reversed().reduce(JSONValue.null) { .object([$1: $0]) }
        return optionalResult(of: { try decode(SpelledPath.self, from: JSONEncoder().encode($0)) }, skeleton)?.last
    }
}

/// The names that lead to the null in nested objects, in the decoder's spelling.
private struct SpelledPath: Decodable {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let last: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The object is empty."))
        }
        last =
            try container.decodeNil(forKey: key)
            ? key.stringValue : container.decode(SpelledPath.self, forKey: key).last
    }
}

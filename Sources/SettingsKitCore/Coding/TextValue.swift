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
}

extension TextValue {
    static var isRawValue: Bool { false }
}

extension String: TextValue {
    static func value(_ text: String) -> String? { text }
    var text: String? { self }
    static var isRawValue: Bool { true }
    static var textType: ValueDescription { ValueDescription("text", json: "string") }
}

extension Data: TextValue {
    static func value(_ text: String) -> Data? { Data(base64Encoded: text) }
    var text: String? { base64EncodedString() }
    static var textType: ValueDescription {
        ValueDescription("data in base 64", json: "string", encoding: "base64")
    }
}

extension URL: TextValue {
    static func value(_ text: String) -> URL? { URL(string: text) }
    /// A URL without its base, as in the stored form.
    var text: String? { absoluteString }
    static var textType: ValueDescription {
        ValueDescription("a URL", json: "string", format: "uri-reference")
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
        if StandardText.isJSON(Wrapped.self) { return StandardText.readJSON(text) }
        let value: Wrapped? = StandardText.read(NilText.unquoted(text))
        return value.map(Optional.some)
    }

    var text: String? {
        switch self {
        case nil: NilText.null
        case let value? where StandardText.isJSON(Wrapped.self): StandardText.writeJSON(value)
        case let value?: StandardText.write(value).map(NilText.quoted)
        }
    }

    static var textType: ValueDescription { StandardText.type(of: Wrapped.self).optional }
}

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
}

extension TextValue {
    static var isRawValue: Bool { false }
    static func problem(_ text: String) -> CodingProblem? { nil }
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
        if !StandardText.hasText(Wrapped.self) { return StandardText.readJSON(text) }
        let value: Wrapped? = StandardText.read(NilText.unquoted(text))
        return value.map(Optional.some)
    }

    var text: String? {
        switch self {
        case nil: NilText.null
        case let value? where !StandardText.hasText(Wrapped.self): StandardText.writeJSON(value)
        case let value?: StandardText.write(value).map(NilText.quoted)
        }
    }

    static var textType: ValueDescription { StandardText.type(of: Wrapped.self).optional }
    static func problem(_ text: String) -> CodingProblem? { StandardText.problem(text, as: Wrapped.self) }
}

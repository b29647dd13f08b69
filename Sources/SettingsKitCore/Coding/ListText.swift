#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type whose values are lists. Its text is an array in JSON, or the elements with commas between them.
protocol ListValue: TextValue {
    /// Returns the list with the elements of several texts, in their order. Nil if one of them is no list.
    static func list(ofTexts texts: [String]) -> Self?
}

extension ListValue where Self: Encodable {
    static func value(_ text: String) -> Self? { list(ofTexts: [text]) }
    var text: String? { StandardText.writeJSON(self) }
}

extension ListValue where Self: Decodable {
    static func problem(_ text: String) -> CodingProblem? { StandardText.jsonProblem(text, as: Self.self) }
}

extension Array: TextValue, ListValue where Element: Codable {
    static func list(ofTexts texts: [String]) -> [Element]? { ListText.elements(of: texts) }
    static var textType: ValueDescription { ListText.type(of: Element.self) }
}

extension Set: TextValue, ListValue where Element: Codable {
    static func list(ofTexts texts: [String]) -> Set<Element>? { ListText.elements(of: texts).map { Set($0) } }
    static var textType: ValueDescription { ListText.type(of: Element.self) }
}

/// The text of a list: `a, b` or `["a,b", "c"]`.
///
/// Spaces and tabs around an element are not part of it. The empty text is the empty list. An array in JSON, or the beginning of one
/// of strings, is never split. Elements that are neither text, numbers nor the like, such as structures and lists, are in JSON only.
enum ListText {
    static func elements<Element: Decodable>(of texts: [String]) -> [Element]? {
        var elements: [Element] = []
        for text in texts {
            guard let some: [Element] = self.elements(of: text) else { return nil }
            elements += some
        }
        return elements
    }

    private static func elements<Element: Decodable>(of text: String) -> [Element]? {
        if let elements: [Element] = StandardText.readJSON(text) { return elements }
        let text = trimmed(text.unicodeScalars[...])
        if text.isEmpty { return [] }
        let isJSON =
            text.hasPrefix("[")
            && (trimmed(text.unicodeScalars.dropFirst()).hasPrefix("\"") || JSONValue(json: Data(text.utf8)) != nil)
        if isJSON || !isScalar(Element.self) { return nil }
        // In scalars, because a mark that combines with a comma makes both one character.
        let parts = text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
        let elements = parts.compactMap { StandardText.read(trimmed($0)) as Element? }
        return elements.count == parts.count ? elements : nil
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }

    /// Returns whether a type's values have a text of their own. An optional has that of its value.
    private static func isScalar(_ type: Any.Type) -> Bool {
        if let optional = type as? any OptionalValue.Type { return isScalar(optional.wrappedType) }
        return !(type is any ListValue.Type) && StandardText.hasText(type)
    }

    static func type<Element: Decodable>(of element: Element.Type) -> ValueDescription {
        guard isScalar(element) else { return ValueDescription("an array in JSON", json: "array") }
        let type = StandardText.type(of: element)
        let elements = Element.self == String.self ? "" : ", each element \(type.expected)"
        return ValueDescription("a list with commas or in JSON" + elements, json: "array")
    }
}

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
    static func list(ofTexts texts: [String]) -> Set<Element>? {
        guard let elements: [Element] = ListText.elements(of: texts) else { return nil }
        return Set(elements)
    }

    static var textType: ValueDescription { ListText.type(of: Element.self) }
}

/// The text of a list: `a, b`, `"a,b", c`, `a\,b, c` or `["a,b", "c"]`.
///
/// Spaces and tabs around an element are not part of it. An element that begins with a quotation mark is a string in JSON. The empty
/// text is the empty list. A text that is an array in JSON, or begins as one of strings, is never split. Elements that are neither text, numbers nor the like,
/// such as structures and lists, are in JSON only.
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
        guard isScalar(Element.self), !isArray(text), let parts = split(text) else { return nil }
        var elements: [Element] = []
        for part in parts {
            guard let element: Element = StandardText.read(part) else { return nil }
            elements.append(element)
        }
        return elements
    }

    // In scalars, because a mark that combines with a comma makes both one character.
    private typealias Scalars = Substring.UnicodeScalarView

    /// Returns the texts of the elements. Nil if a quotation mark does not end.
    private static func split(_ text: String) -> [String]? {
        var rest = trimmed(text[...].unicodeScalars)
        if rest.isEmpty { return [] }
        var parts: [String] = []
        while true {
            guard let part = rest.first == "\"" ? takeQuoted(&rest) : takePlain(&rest) else { return nil }
            parts.append(part)
            if rest.isEmpty { return parts }
            // After the comma.
            rest = trimmed(rest.dropFirst())
        }
    }

    /// Takes an element in quotation marks, up to the comma after it.
    private static func takeQuoted(_ rest: inout Scalars) -> String? {
        var isEscaped = false
        let end = rest.indices.dropFirst().first { index in
            defer { isEscaped = !isEscaped && rest[index] == "\\" }
            return rest[index] == "\"" && !isEscaped
        }
        guard let end, let element: String = StandardText.readJSON(String(rest[...end])) else { return nil }
        rest = trimmed(rest[rest.index(after: end)...])
        return rest.isEmpty || rest.first == "," ? element : nil
    }

    /// Takes an element up to the next comma without a backslash before it.
    private static func takePlain(_ rest: inout Scalars) -> String {
        var element = Scalars()
        while let scalar = rest.first, scalar != "," {
            rest.removeFirst()
            element.append(scalar == "\\" && rest.first == "," ? rest.removeFirst() : scalar)
        }
        return String(trimmed(element))
    }

    private static func trimmed(_ text: Scalars) -> Scalars {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// Returns whether a text is an array in JSON, or begins as an array of strings, so that its writer has meant one.
    private static func isArray(_ text: String) -> Bool {
        let text = String(trimmed(text[...].unicodeScalars))
        guard text.hasPrefix("[") else { return false }
        if trimmed(text.unicodeScalars.dropFirst()).first == "\"" { return true }
        return JSONScanner.scan(Data(text.utf8)) { JSONScanner.isValue($0.bytes) }
            || JSONValue(json: Data(text.utf8)) != nil
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

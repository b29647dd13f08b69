/// Describes the values of a setting for messages, tables and schemas.
package struct ValueDescription: Sendable, Equatable {
    /// The kind of value, for messages: "an integer".
    package var kind: String
    /// The limits after ``kind``: " from 0 to 255".
    package var limits = ""
    /// The condition of a validation after the limits: ", must be even".
    package var condition = ""
    /// The type's name in JSON schemas; nil for several types.
    package var json: String?
    /// The format's name in JSON schemas: "date-time".
    package var format: String?
    /// The encoding's name in JSON schemas, for data in a text.
    package var encoding: String?
    /// The limits, and the allowed values.
    package var constraint = ValueConstraint()
    /// The names of an enumeration's cases, by their texts.
    package var caseNames: [String: String] = [:]
    /// Whether nil is a value.
    package var isOptional = false

    init(_ kind: String, json: String? = nil, format: String? = nil, encoding: String? = nil) {
        self.kind = kind
        self.json = json
        self.format = format
        self.encoding = encoding
    }

    /// The expected text, for messages: "an integer from 1 to 65535".
    package var expected: String { kind + limits + condition }

    /// The same without an article, for tables: "integer from 1 to 65535".
    package var name: String { Self.withoutArticle(expected) }

    /// The first word of ``name``, for the place of a value in a command: "integer", "value".
    package var placeholder: String {
        if kind.hasPrefix("one of") || kind.hasPrefix("a raw") { return "value" }
        let name = Self.withoutArticle(kind)
        return String(name.prefix { $0 != " " && $0 != "," }).lowercased()
    }

    private static func withoutArticle(_ text: String) -> String {
        for article in ["a ", "an "] where text.hasPrefix(article) { return String(text.dropFirst(article.count)) }
        return text
    }

    /// The description of optionals of this type.
    var optional: ValueDescription {
        var type = self
        type.isOptional = true
        return type
    }

    /// Returns the description of the values that meet a condition.
    func restricted<Value>(by validation: SettingsService.Validation<Value>?) -> ValueDescription {
        guard let validation else { return self }
        var type = self
        let constraint = validation.constraint
        if constraint.hasLimits { type.limits = "" }
        var qualifier = validation.qualifier
        if let allowed = constraint.allowed, type.constraint.allowed != nil {
            // The condition's list replaces that of the type.
            type.kind = ValidationWording.list(of: allowed)
            qualifier = qualifier.replacing(", \(type.kind)", with: "")
        }
        type.condition += qualifier
        type.constraint.merge(constraint)
        return type
    }

    /// Converts the text of a value to JSON: a text in quotation marks, a number, an array.
    package func json(ofText text: String) -> String {
        // The texts of all other types are JSON, including the `null` of an optional.
        json != "string" || isOptional && text == NilText.null ? text : JSONValue.quoted(text)
    }

    /// Converts JSON to the text of a value; nil if the JSON cannot be one. A string may hold the text of any type.
    package func text(of json: JSONValue) -> String? {
        if isOptional, json == .null { return NilText.null }
        guard case .string(let string) = json else { return self.json == "string" ? nil : json.text }
        return self.json == nil ? json.text : string
    }

    /// Returns the input that a person types for a value with this text: nothing for the nil of an optional.
    package func input(ofText text: String) -> String { isOptional && text == NilText.null ? "" : text }

    /// Returns the text of the value that a person has typed: the nil of an optional for nothing.
    package func text(ofInput input: String) -> String { isOptional && input.isEmpty ? NilText.null : input }
}

/// The text of an optional's nil. A text that is this word reads as nil.
enum NilText {
    static let null = "null"
}

/// What the values of a setting are: for messages, tables and schemas.
package struct ValueDescription: Sendable, Equatable {
    /// The name in tables: "integer".
    package var name: String
    /// What a text must be, for messages: "an integer from 1 to 65535".
    package var expected: String
    /// The type in JSON, as JSON schemas call it; nil for several types.
    package var json: String?
    /// The format of a text, as JSON schemas call it: "date-time".
    package var format: String?
    /// The limits, and the allowed values.
    package var constraint = ValueConstraint()
    /// Whether nil is a value.
    package var isOptional = false

    init(name: String, expected: String, json: String? = nil, format: String? = nil) {
        self.name = name
        self.expected = expected
        self.json = json
        self.format = format
    }

    /// The type of optionals of this type.
    var optional: ValueDescription {
        var type = self
        type.isOptional = true
        return type
    }

    /// The type of those values that meet a condition.
    func restricted<Value>(by validation: SettingsService.Validation<Value>?) -> ValueDescription {
        guard let validation else { return self }
        var type = self
        type.expected += validation.qualifier
        type.constraint.merge(validation.constraint)
        return type
    }

    /// Converts the text of a value to JSON: a text in quotation marks, a number, an array.
    package func json(ofText text: String) -> String {
        // The texts of all other types are JSON, and so is the `null` of an optional.
        if json != "string" || isOptional && text == NilText.null { return text }
        return JSONText.quoted(isOptional ? NilText.unquoted(text) : text)
    }

    /// Converts JSON to the text of a value; nil if the JSON cannot be one. A string may hold the text of any type.
    package func text(of json: JSONValue) -> String? {
        if isOptional { return json == .null ? NilText.null : required.text(of: json).map(NilText.quoted) }
        guard case .string(let string) = json else { return self.json == "string" ? nil : json.text }
        return self.json == nil ? json.text : string
    }

    private var required: ValueDescription {
        var type = self
        type.isOptional = false
        return type
    }
}

/// The text of an optional: `null` for nil. Other texts that look like it have one more pair of quotation marks.
enum NilText {
    static let null = "null"

    static func quoted(_ text: String) -> String { isNullInQuotationMarks(text) ? "\"\(text)\"" : text }

    static func unquoted(_ text: String) -> String {
        isNullInQuotationMarks(text) && text != null ? String(text.dropFirst().dropLast()) : text
    }

    private static func isNullInQuotationMarks(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        while bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""), bytes.count > 2 {
            bytes = bytes.dropFirst().dropLast()
        }
        return bytes.elementsEqual(null.utf8)
    }
}

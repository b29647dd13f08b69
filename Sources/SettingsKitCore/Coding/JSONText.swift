/// JSON to write, with the members of objects in the order that readers expect.
package enum JSONText {
    /// One value, as JSON text.
    case value(String)
    case array([JSONText])
    case object([(name: String, value: JSONText)])

    package static func string(_ text: String) -> JSONText { .value(quoted(text)) }
    package static func bool(_ value: Bool) -> JSONText { .value(value ? "true" : "false") }

    /// Returns a string in JSON. Characters that could disturb a terminal or a log are escapes.
    package static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\t": json += "\\t"
            case "\r": json += "\\r"
            default: append(scalar, to: &json)
            }
        }
        return json + "\""
    }

    /// Lines with an indentation of two spaces, without a line break at the end.
    package var indented: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    /// One line.
    package var compact: String {
        switch self {
        case .value(let json): Self.escaped(json)
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.name)):\($0.value.compact)" }.joined(separator: ",") + "}"
        }
    }

    private func write(to text: inout String, indentation: String) {
        let inner = indentation + "  "
        switch self {
        case .value(let json): text += Self.escaped(json)
        case .array(let elements) where elements.isEmpty: text += "[]"
        case .object(let members) where members.isEmpty: text += "{}"
        case .array(let elements):
            text += "["
            for (position, element) in elements.enumerated() {
                text += (position > 0 ? ",\n" : "\n") + inner
                element.write(to: &text, indentation: inner)
            }
            text += "\n\(indentation)]"
        case .object(let members):
            text += "{"
            for (position, member) in members.enumerated() {
                text += (position > 0 ? ",\n" : "\n") + inner + Self.quoted(member.name) + ": "
                member.value.write(to: &text, indentation: inner)
            }
            text += "\n\(indentation)}"
        }
    }

    /// Escapes characters that could disturb a terminal. They occur only in strings, where an escape means the same.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: \.disturbsOutput) else { return json }
        var text = ""
        for scalar in json.unicodeScalars { append(scalar, to: &text) }
        return text
    }

    private static func append(_ scalar: Unicode.Scalar, to json: inout String) {
        guard scalar.disturbsOutput else { return json.unicodeScalars.append(scalar) }
        for unit in UTF16.encode(scalar) ?? .init([]) {
            let digits = String(unit, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal, breaks a line, or changes the direction of the surrounding text.
    package var disturbsOutput: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch value {
        // The joiners are invisible, but are part of words and of emoji.
        case 0x200C, 0x200D: return false
        // The tags that are part of the emoji of flags.
        case 0xE0020...0xE007F: return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default: return false
        }
    }
}

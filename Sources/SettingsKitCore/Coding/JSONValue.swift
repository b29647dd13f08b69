#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON value, read and written. The members of objects keep their order.
package enum JSONValue: Sendable {
    /// A number, `true`, `false` or `null`; or, to write it, any value as JSON text in one line.
    case value(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    package static let null = JSONValue.value("null")
    package static func bool(_ value: Bool) -> JSONValue { .value(value ? "true" : "false") }

    /// Reads JSON in UTF-8, also in several lines. Nil for any other input.
    package init?(json: Data) {
        let value = JSONScanner.scan(json, layout: .file) { scanner -> JSONValue? in
            var reader = JSONReader(scanner: scanner)
            do throws(JSONReader.Problem) {
                return try reader.readAll { reader throws(JSONReader.Problem) in try reader.readValue() }
            } catch {
                return nil
            }
        }
        guard let value else { return nil }
        self = value
    }

    /// The members of an object; nil for any other value.
    package var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    }

    /// The value in a type of the standard library, or of Foundation for a `Decimal`; nil for `null`.
    var untyped: (any Sendable)? {
        switch self {
        case .value("true"): true
        case .value("false"): false
        case .value("null"): nil
        case .value(let number):
            Int64(number) ?? UInt64(number) ?? Self.double(number) ?? Decimal(string: number) as (any Sendable)?
        case .string(let text): text
        case .array(let values): values.map(\.untyped)
        case .object: members?.mapValues(\.untyped)
        }
    }

    /// Returns the `Double` that is exactly a decimal number.
    private static func double(_ number: String) -> Double? {
        guard let value = Double(number), value.isFinite, Decimal(string: "\(value)") == Decimal(string: number) else {
            return nil
        }
        return value
    }

    /// Creates a number, in the form in which an encoder writes the same number.
    fileprivate static func number(_ text: String) -> JSONValue {
        if let number = Int64(text), number != 0 { return .value(String(number)) }
        return .value(double(text).flatMap(\.text) ?? text)
    }
}

/// Aliased for code that only writes JSON.
package typealias JSONText = JSONValue

extension JSONValue: Equatable {
    /// Compares the values. The members of objects may be in any order.
    package static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.value(let one), .value(let other)): one == other
        case (.string(let one), .string(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.object, .object): one.members == other.members
        default: false
        }
    }
}

// MARK: Reading

/// Reads JSON as a tree. Of repeated members, the last one counts.
///
/// It is recursive, and reads at most ``CoreLimits/jsonDepth`` levels.
package struct JSONReader {
    package struct Problem: Error {
        let reason: String
        let offset: Int
    }

    package var scanner: JSONScanner
    private var depth = 0

    init(scanner: JSONScanner) { self.scanner = scanner }

    /// Reads the whole text.
    mutating func readAll<Value>(_ read: (inout Self) throws(Problem) -> Value) throws(Problem) -> Value {
        let value = try read(&self)
        scanner.skipSpace()
        if scanner.isAtEnd { return value }
        throw problem("There is text after the end of the value")
    }

    mutating func readValue() throws(Problem) -> JSONValue {
        scanner.skipSpace()
        let start = scanner.position
        switch scanner.next {
        case UInt8(ascii: "{"):
            var members: [(name: String, value: JSONValue)] = []
            while let name = try readName(isFirst: members.isEmpty) { members.append((name, try readValue())) }
            return .object(Self.last(of: members))
        case UInt8(ascii: "["):
            var values: [JSONValue] = []
            while try moves(from: "[", to: "]", isFirst: values.isEmpty) { values.append(try readValue()) }
            return .array(values)
        case UInt8(ascii: "\""):
            if let text = scanner.readString() { return .string(text) }
            throw problem("The text has an invalid escape or character, or does not end", at: start)
        default:
            for word: StaticString in ["true", "false", "null"] where scanner.skip(word: word) {
                return .value("\(word)")
            }
            if let range = scanner.skipNumber() { return .number(scanner.text(in: range)) }
            throw problem(scanner.position == start ? "A value is missing" : "The number is not JSON", at: start)
        }
    }

    /// Reads the name of the next member of an object, up to its value; nil at the end of the object.
    package mutating func readName(isFirst: Bool) throws(Problem) -> String? {
        guard try moves(from: "{", to: "}", isFirst: isFirst) else { return nil }
        let start = scanner.position
        guard scanner.next == UInt8(ascii: "\"") else { throw problem("A name in quotation marks is missing") }
        guard let name = scanner.readString() else {
            throw problem("The name has an invalid escape or character, or does not end", at: start)
        }
        scanner.skipSpace()
        guard scanner.skip(":") else { throw problem("A colon is missing") }
        scanner.skipSpace()
        return name
    }

    /// Moves to the next element of an array or an object, or past its end.
    private mutating func moves(
        from start: Unicode.Scalar, to end: Unicode.Scalar, isFirst: Bool
    ) throws(Problem) -> Bool {
        if isFirst {
            if depth == CoreLimits.jsonDepth { throw problem("The value is nested more than \(depth) levels deep") }
            depth += 1
            _ = scanner.skip(start)
        } else {
            scanner.skipSpace()
            if !scanner.skip(","), scanner.next != UInt8(ascii: end) {
                throw problem("A comma or a closing \(end == "}" ? "brace" : "bracket") is missing")
            }
        }
        scanner.skipSpace()
        guard scanner.skip(end) else { return true }
        depth -= 1
        return false
    }

    /// Returns the last one of the members of each name.
    static func last<Value>(of members: [(name: String, value: Value)]) -> [(name: String, value: Value)] {
        var last: [String: Int] = [:]
        for (place, member) in members.enumerated() { last[member.name] = place }
        if last.count == members.count { return members }
        return members.enumerated().filter { last[$1.name] == $0 }.map { $1 }
    }

    package func problem(_ reason: String, at offset: Int? = nil) -> Problem {
        if scanner.isAtEnd { return Problem(reason: "The text ends too early", offset: scanner.position) }
        return Problem(reason: reason, offset: offset ?? scanner.position)
    }
}

// MARK: Writing

extension JSONValue {
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

    /// One line.
    package var compact: String {
        switch self {
        case .value(let json): Self.escaped(json)
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[" + elements.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.name)):\($0.value.compact)" }.joined(separator: ",") + "}"
        }
    }

    /// One line with sorted members: the same text for equal values.
    package var text: String { sorted.compact }

    private var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(members.map { ($0.name, $0.value.sorted) }.sorted { $0.name < $1.name })
        default: self
        }
    }

    /// Lines with an indentation of two spaces, without a line break at the end.
    package var indented: String { indented(by: "\n") }

    private func indented(by lineBreak: String) -> String {
        func lines(_ start: String, _ lines: [String], _ end: String) -> String {
            start + lines.map { "\(lineBreak)  \($0)" }.joined(separator: ",") + lineBreak + end
        }
        switch self {
        case .array(let elements) where !elements.isEmpty:
            return lines("[", elements.map { $0.indented(by: lineBreak + "  ") }, "]")
        case .object(let members) where !members.isEmpty:
            let members = members.map { "\(Self.quoted($0.name)): \($0.value.indented(by: lineBreak + "  "))" }
            return lines("{", members, "}")
        default: return compact
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

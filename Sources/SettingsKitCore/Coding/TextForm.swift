#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads and writes the values of a type as text: in arguments, environment variables, commands and tables.
///
/// `read(write(x))` equals `x` for every `x` that has a text. Creating a form must be cheap, because each program creates one for
/// each of its settings. So a form examines its type when it is used: testing a conformance makes the runtime search every library.
struct TextForm<Value: Sendable>: Sendable {
    /// Whether an argument without a value, such as `--muted`, sets it: true for a Boolean.
    let isFlag: Bool
    /// Parses the texts of an option, the last one of which counts unless the value is a list. Returns nil if they are no value.
    let readAll: @Sendable ([String]) -> Value?
    /// Returns the text of a value; nil if it has none.
    let write: @Sendable (Value) -> String?
    /// Returns the reason why a text is no value, if it is JSON of another shape.
    let problem: @Sendable (String) -> CodingProblem?
    private let describe: @Sendable () -> ValueDescription

    init(
        isFlag: Bool = false, readAll: @escaping @Sendable ([String]) -> Value?,
        write: @escaping @Sendable (Value) -> String?,
        problem: @escaping @Sendable (String) -> CodingProblem? = { _ in nil },
        type describe: @escaping @Sendable () -> ValueDescription
    ) {
        self.isFlag = isFlag
        self.readAll = readAll
        self.write = write
        self.problem = problem
        self.describe = describe
    }

    init(
        read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String?,
        problem: @escaping @Sendable (String) -> CodingProblem? = { _ in nil },
        type describe: @escaping @Sendable () -> ValueDescription
    ) {
        self.init(readAll: { $0.last.flatMap(read) }, write: write, problem: problem, type: describe)
    }

    /// Parses a text; returns nil if it is no value.
    func read(_ text: String) -> Value? { readAll([text]) }

    /// The type, for tables and schemas.
    var type: ValueDescription {
        HeldLocks.requireNone(before: "the description of a type")
        return describe()
    }

    /// The expected text, for messages: "true or false", "an integer".
    var expected: String { type.expected }

    /// Returns the expected text with a condition: "an integer from 1 to 65535".
    func expected(with validation: SettingsService.Validation<Value>) -> String {
        type.restricted(by: validation).expected
    }

    /// Returns the form of the stored bytes in base 64, for values that are not `Codable`.
    static func storedBytes(_ form: StoredForm<Value>) -> TextForm {
        TextForm(
            read: { text in Data(base64Encoded: text).flatMap { optionalResult(of: form.decode, $0) } },
            write: { optionalResult(of: form.encode, $0)?.base64EncodedString() },
            type: { Data.textType })
    }
}

extension TextForm {
    /// The form of a setting with a transformer: the value as JSON, whichever bytes the transformer stores. The type is `Codable`.
    static var transformed: TextForm {
        TextForm(
            read: { text in
                guard let type = Value.self as? any Codable.Type else { return nil }
                return StandardText.readJSON(text, as: type)
            },
            write: { value in
                guard let value = value as? any Codable else { return nil }
                return StandardText.writeJSON(value)
            },
            problem: { text in
                guard let type = Value.self as? any Codable.Type else { return nil }
                return StandardText.jsonProblem(text, as: type)
            },
            type: { StandardText.jsonType(of: Value.self) })
    }
}

extension TextForm where Value: Codable {
    /// The form of a setting without a transformer:
    ///
    /// - A Boolean is `true`, `false`, `yes`, `no`, `on`, `off`, `1` or `0`, in any case.
    /// - A number is decimal, with a point in every locale: `12`, `0.5`, `1e3`.
    /// - A string is the text itself; `Data` is base 64, or `hex:` and digits; a date is in ISO 8601; a duration is `1h30m`; URLs
    ///   and UUIDs are as usual.
    /// - An enumeration is its raw value, if that is a string or an integer.
    /// - An array or a set of these is `a,b`; see ``ListText``.
    /// - Every other value is JSON.
    /// - The nil of an optional is `null`, also that of an optional text.
    static var standard: TextForm {
        TextForm(
            isFlag: StandardText.isFlag(Value.self),
            readAll: { StandardText.read($0) },
            write: { StandardText.write($0) },
            problem: { StandardText.problem($0, as: Value.self) },
            type: { StandardText.type(of: Value.self) })
    }

}

/// Returns the result of a function; nil if it throws. Only for functions whose error means only that there is no result.
package func optionalResult<Input, Output>(of function: (Input) throws -> Output, _ input: Input) -> Output? {
    do {
        return try function(input)
    } catch {
        return nil
    }
}

/// Converts values to text and back, for types that are known at run time.
enum StandardText {
    /// Returns whether an argument without a value sets a setting of the type: it is a Boolean.
    static func isFlag(_ type: Any.Type) -> Bool { type == Bool.self || type == Bool?.self }

    /// Parses the texts of an option, the last one of which counts unless the value is a list.
    static func read<Value: Decodable>(_ texts: [String]) -> Value? {
        guard texts.count > 1, let type = list(in: Value.self) else { return texts.last.flatMap { read($0) } }
        // Not cast as an optional: nil would become the nil of an optional list.
        guard let list = type.list(ofTexts: texts) else { return nil }
        return list as? Value
    }

    /// Returns the type of the list that a type is, or an optional of.
    private static func list(in type: Any.Type) -> (any ListValue.Type)? {
        ((type as? any OptionalValue.Type)?.wrappedType ?? type) as? any ListValue.Type
    }

    static func read<Value: Decodable>(_ text: String) -> Value? {
        if let type = Value.self as? any TextValue.Type { return read(text, as: type) }
        if let type = Value.self as? any RawRepresentable.Type, let codec = rawCodec(of: type, as: Value.self) {
            return codec.read(text)
        }
        return readJSON(text)
    }

    static func write<Value: Codable>(_ value: Value) -> String? {
        if let value = value as? any TextValue, Value.self is any TextValue.Type { return value.text }
        if let type = Value.self as? any RawRepresentable.Type, let codec = rawCodec(of: type, as: Value.self) {
            return codec.write(value)
        }
        return writeJSON(value)
    }

    static func type<Value: Decodable>(of type: Value.Type) -> ValueDescription {
        if let type = type as? any TextValue.Type { return type.textType }
        if let type = type as? any RawRepresentable.Type, let codec = rawCodec(of: type, as: Value.self) {
            return codec.type
        }
        return jsonType(of: type)
    }

    // Through a function's type: a cast of the value itself would take the nil of an optional for "no value".
    private static func read<Text: TextValue, Value>(_ text: String, as type: Text.Type) -> Value? {
        let read: (String) -> Text? = Text.value
        return (read as? (String) -> Value?)?(text)
    }

    // MARK: JSON

    static func problem<Value: Decodable>(_ text: String, as type: Value.Type) -> CodingProblem? {
        if let type = type as? any TextValue.Type { return type.problem(text) }
        if hasText(type) { return nil }
        return jsonProblem(text, as: type)
    }

    /// Returns the reason why a JSON text is no value of a type. Nil if it is no JSON.
    static func jsonProblem<JSON: Decodable>(_ text: String, as type: JSON.Type) -> CodingProblem? {
        do {
            _ = try JSONDecoder.standard().decode(JSON.self, from: Data(text.utf8))
            return nil
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            return nil
        } catch {
            return CodingProblem(error, of: type)
        }
    }

    static func readJSON<Value: Decodable>(_ text: String) -> Value? {
        optionalResult(of: { try JSONDecoder.standard().decode(Value.self, from: $0) }, Data(text.utf8))
    }

    // In an array: a cast of the value itself would take the nil of an optional for "no value".
    static func readJSON<JSON: Decodable, Value>(_ text: String, as type: JSON.Type) -> Value? {
        let values: [JSON]? = readJSON("[\(text)]")
        guard let values = values as? [Value], values.count == 1 else { return nil }
        return values[0]
    }

    static func writeJSON<Value: Encodable>(_ value: Value) -> String? {
        optionalResult(of: { try JSONEncoder.stable().orderedJSON(of: $0) }, value)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    static func jsonType<Value>(of type: Value.Type) -> ValueDescription {
        if let optional = type as? any OptionalValue.Type { return jsonType(ofAny: optional.wrappedType).optional }
        return jsonType(ofAny: type)
    }

    private static func jsonType(ofAny type: Any.Type) -> ValueDescription {
        if type is any ListValue.Type {
            return ValueDescription("an array in JSON", json: "array")
        }
        if type is any JSONObject.Type {
            return ValueDescription("an object in JSON", json: "object")
        }
        return ValueDescription("a value in JSON")
    }

    // MARK: Raw values

    private struct RawCodec<Value> {
        let read: (String) -> Value?
        let write: (Value) -> String?
        let type: ValueDescription
    }

    /// - Returns: nil if the raw value is neither a string nor an integer.
    private static func rawCodec<Raw: RawRepresentable, Value>(of type: Raw.Type, as: Value.Type) -> RawCodec<Value>? {
        guard hasTextAsRawValue(type), let rawType = Raw.RawValue.self as? any TextValue.Type else { return nil }
        var description = rawType.textType
        if let type = type as? any CaseIterable.Type {
            let cases = EnumerationCases(of: type)
            description.constraint.allowed = cases.texts
            description.caseNames = cases.names
            description.kind = "one of \(cases.texts.joined(separator: ", "))"
        } else {
            description.kind = "a raw value of \(type)"
        }
        return RawCodec(
            read: { text in
                let rawValue: Raw.RawValue? = read(text, as: rawType)
                return rawValue.flatMap(Raw.init(rawValue:)) as? Value
            },
            write: { (($0 as? Raw)?.rawValue as? any TextValue)?.text },
            type: description)
    }

    /// Returns whether the text of a type's values is other than their JSON.
    static func hasText(_ type: Any.Type) -> Bool {
        if type is any TextValue.Type { return true }
        return (type as? any RawRepresentable.Type).map { hasTextAsRawValue($0) } ?? false
    }

    private static func hasTextAsRawValue<Raw: RawRepresentable>(_ type: Raw.Type) -> Bool {
        (Raw.RawValue.self as? any TextValue.Type)?.isRawValue ?? false
    }
}

/// The collections whose JSON is an object.
private protocol JSONObject {}
extension Dictionary: JSONObject where Key == String {}

/// The cases of an enumeration: the texts of their raw values, and their names.
struct EnumerationCases {
    /// The texts, in the order of `allCases`.
    private(set) var texts: [String] = []
    /// The names, by text, for titles; empty for a type that is no enumeration.
    ///
    /// A name is the raw value if that spells the name of the case (`"HD"` of `hd`, `"dark-mode"` of `darkMode`), and the
    /// name of the case otherwise (`low` of 1, `english` of `"en-US"`).
    private(set) var names: [String: String] = [:]

    init<Cases: CaseIterable>(of type: Cases.Type) {
        for value in type.allCases {
            guard let raw = (value as? any RawRepresentable)?.rawValue as? any TextValue, let text = raw.text
            else { continue }
            texts.append(text)
            guard Mirror(reflecting: value).displayStyle == .enum else { continue }
            // A custom description need not have the name.
            if let name = value is any CustomStringConvertible ? nil : String(describing: value) {
                names[text] = Self.spelling(text) == Self.spelling(name) ? text : name
            } else if raw is String {
                names[text] = text
            }
        }
        // Without the metadata for reflection, all cases have the name of their type.
        if Set(names.values).count < names.count { names = [:] }
    }

    private static func spelling(_ text: String) -> String {
        text.filter { $0.isLetter || $0.isNumber }.lowercased()
    }
}

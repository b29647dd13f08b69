import SettingsCommandLine
import SettingsKit

extension UntypedValue {
    /// How the text of an argument becomes bytes.
    enum Form: Sendable {
        /// Keeps the kind of the stored value. Without one, the text is JSON, or a string if it is not JSON.
        case kept
        case json, text, integer, boolean, date, data
    }

    /// Converts a text to bytes.
    ///
    /// - Parameters:
    ///   - stored: The value to replace, whose kind is kept. Nil if there is none.
    /// - Throws: A failure that says what is expected. It does not contain the text.
    static func data(
        of text: String, as form: Form, replacing stored: UntypedValue?, name: String
    ) throws(CommandFailure) -> Data {
        switch form {
        case .json: return try required(value(ofJSON: text), "JSON", name)
        case .text: return encoded(.string(text))
        case .integer: return try required(integer(text), "an integer", name)
        case .boolean: return try required(boolean(text), "true or false", name)
        case .date:
            return try required(date(text), "a date in ISO 8601, such as 2026-11-22T18:00:00Z", name)
        case .data: return try required(Data(base64Encoded: text), "data in base 64", name)
        case .kept: break
        }
        switch stored?.kind {
        case nil, .null: return value(ofJSON: text) ?? encoded(.string(text))
        case .text: return encoded(.string(text))
        case .boolean: return try kept(boolean(text), "true or false", name)
        // JSON writes a number without a fraction as an integer: both are one kind.
        case .integer, .number: return try kept(number(text), "a number", name)
        case .array: return try kept(value(ofJSON: text, kind: .array), "an array in JSON", name)
        case .object: return try kept(value(ofJSON: text, kind: .object), "an object in JSON", name)
        case .data: return try kept(Data(base64Encoded: text), "data in base 64", name)
        }
    }

    /// The stored form of a JSON value.
    static func encoded(_ value: JSONValue) -> Data { Data((value.text ?? "null").utf8) }

    private static func required(
        _ data: Data?, _ expected: String, _ name: String
    ) throws(CommandFailure) -> Data {
        if let data { return data }
        throw .usage("\(quoted(name)): The text is not \(expected). Nothing was changed.")
    }

    private static func kept(_ data: Data?, _ expected: String, _ name: String) throws(CommandFailure) -> Data {
        if let data { return data }
        throw .failure(
            "\(quoted(name)): The stored value is \(expected), and the text is not. Nothing was changed. To change the type, "
                + "add --json, --string, --int, --bool, --date or --data.")
    }

    private static func value(ofJSON text: String, kind: Kind? = nil) -> Data? {
        // A decoder may accept text that other JSON readers reject, such as a top-level number with white space.
        guard let value = JSONValue(json: Data(text.utf8)) else { return nil }
        let data = encoded(value)
        return kind == nil || UntypedValue(data).kind == kind ? data : nil
    }

    private static func integer(_ text: String) -> Data? {
        if let number = Int64(text) { return encoded(.integer(number)) }
        return UInt64(text).map { encoded(.unsigned($0)) }
    }

    private static func number(_ text: String) -> Data? {
        integer(text) ?? value(ofJSON: text, kind: .number) ?? value(ofJSON: text, kind: .integer)
    }

    private static func boolean(_ text: String) -> Data? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": encoded(.bool(true))
        case "false", "no", "off", "0": encoded(.bool(false))
        default: nil
        }
    }

    /// As a setting of `Date` stores it.
    private static func date(_ text: String) -> Data? {
        Date(iso8601: text).flatMap { optionalResult(of: JSONTransformer<Date>().transformValue, $0) }
    }
}

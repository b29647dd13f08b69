/// Describes a coding error without the value.
///
/// `EncodingError` and `DecodingError` carry the value, and their messages quote it. Coding paths hold the keys of dictionaries,
/// which are also part of a value. None of that may reach a log, so only this description is kept.
public struct CodingProblem: ValueFreeError, Equatable {
    /// The message: the kind of problem, the expected type, and the members that lead to it.
    public let description: String

    /// - Parameter type: The type to encode or decode. Messages name it if the error concerns the whole value.
    /// - Returns: nil if `error` is not a coding error.
    init?(_ error: any Error, of type: Any.Type? = nil) {
        var path: [any CodingKey]
        let sentence: String
        switch error {
        case EncodingError.invalidValue(let value, let context):
            sentence = "A \(Swift.type(of: value)) in it cannot be encoded"
            path = context.codingPath
        case DecodingError.typeMismatch(let type, let context):
            sentence = "Something else was found where \(type) was expected"
            path = context.codingPath
        case DecodingError.valueNotFound(let type, let context):
            sentence = "Nothing was found where \(type) was expected"
            path = context.codingPath
        case DecodingError.keyNotFound(let key, let context):
            sentence = "A member that the type requires is missing"
            path = context.codingPath + [key]
        case DecodingError.dataCorrupted(let context):
            path = context.codingPath
            sentence =
                Self.unknownCase(context.debugDescription, of: type)
                ?? (path.isEmpty ? "The bytes are not in the expected format" : "A value is not in the expected format")
        default:
            return nil
        }
        description = sentence + Self.place(path) + "."
    }

    /// Returns a message about a raw value that an enumeration does not have; nil if the text is about another problem.
    ///
    /// Only the text, which the standard library writes, distinguishes this error from other corrupted data. Nothing of the text is
    /// shown.
    private static func unknownCase(_ text: String, of type: Any.Type?) -> String? {
        guard text.hasPrefix("Cannot initialize "), text.contains(" from invalid ") else { return nil }
        if let type {
            let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
            if text.hasPrefix("Cannot initialize \(type) from invalid ") {
                return "The stored value is none of the cases of \(type)"
            }
        }
        return "The stored value is none of the cases of its type"
    }

    /// Returns the place of the problem in the value: the names of members, `*` for an element of an array or a dictionary.
    private static func place(_ path: [any CodingKey]) -> String {
        let names = path.map { isPartOfProgram($0) ? $0.stringValue : "*" }
        return names.contains { $0 != "*" } ? ", at \(names.joined(separator: "."))" : ""
    }

    /// Returns whether a coding key is the name of a member in the program: a case of an enumeration without associated values.
    /// (Keys of dictionaries are structures, or hold a string.)
    private static func isPartOfProgram(_ key: any CodingKey) -> Bool {
        let mirror = Mirror(reflecting: key)
        return mirror.displayStyle == .enum && mirror.children.isEmpty
    }
}

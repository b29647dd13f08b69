/// What a coding error said, without the value that it holds.
///
/// `EncodingError` and `DecodingError` carry the value, and their messages quote it; coding paths hold the keys of
/// dictionaries, which are part of a value, too. None of that may reach a log, so only this is kept.
public struct CodingProblem: ValueFreeError, Equatable {
    /// A sentence: what kind of problem it was, and the type that was expected.
    public let description: String

    /// - Returns: nil when `error` is not a coding error.
    init?(_ error: any Error) {
        switch error {
        case EncodingError.invalidValue(let value, _):
            description = "A \(type(of: value)) in it cannot be encoded."
        case DecodingError.typeMismatch(let type, _):
            description = "Something else was found where \(type) was expected."
        case DecodingError.valueNotFound(let type, _):
            description = "Nothing was found where \(type) was expected."
        case DecodingError.keyNotFound:
            description = "A member that the type requires is missing."
        case DecodingError.dataCorrupted:
            description = "The bytes are not in the expected format."
        default:
            return nil
        }
    }
}

/// Stands for a value by its raw value: the first link of a chain for types that are `RawRepresentable` but not
/// `Codable` in the way you want them stored.
///
/// ```swift
/// RawRepresentableTransformer<Level>().append(transformer: JSONTransformer())
/// ```
public struct RawRepresentableTransformer<Value: RawRepresentable>: Transformer {
    /// The raw value was none of the type's.
    public struct UnknownRawValue: ValueFreeError {
        /// Says which type did not know the raw value, not what the value was.
        public var description: String { "The stored value is none of the cases of \(Value.self)." }
    }

    /// A transformer between `Value` and `Value.RawValue`.
    public init() {}

    /// The raw value.
    public func transformValue(_ value: Value) -> Value.RawValue { value.rawValue }

    /// The value that has this raw value.
    ///
    /// - Throws: ``UnknownRawValue`` if there is none.
    public func untransformValue(_ output: Value.RawValue) throws -> Value {
        guard let value = Value(rawValue: output) else { throw UnknownRawValue() }
        return value
    }
}

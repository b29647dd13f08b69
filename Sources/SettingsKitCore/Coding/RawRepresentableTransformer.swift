/// Stores the raw value of a `RawRepresentable` type. Use it as the first link of a chain if the type's `Codable` form is not the
/// one to store.
///
/// ```swift
/// RawRepresentableTransformer<Level>().append(transformer: JSONTransformer())
/// ```
public struct RawRepresentableTransformer<Value: RawRepresentable>: Transformer {
    /// The error that the type has no such raw value.
    public struct UnknownRawValue: ValueFreeError {
        /// A message that names the type, but not the raw value.
        public var description: String { "The stored value is none of the cases of \(Value.self)." }
    }

    /// Creates a transformer between `Value` and `Value.RawValue`.
    public init() {}

    /// Returns the raw value.
    public func transformValue(_ value: Value) -> Value.RawValue { value.rawValue }

    /// Returns the value with this raw value.
    ///
    /// - Throws: ``UnknownRawValue`` if there is none.
    public func untransformValue(_ output: Value.RawValue) throws -> Value {
        guard let value = Value(rawValue: output) else { throw UnknownRawValue() }
        return value
    }
}

/// Transforms optionals with a transformer of non-optional values. ``Transformer/forOptional()`` creates it.
public struct OptionalTransformer<Base: Transformer>: Transformer {
    /// The error that nil has no stored form.
    public struct NilHasNoForm: ValueFreeError {
        /// A message without the value.
        public var description: String { "The transformer has no form for nil." }
    }

    let base: Base

    init(_ base: Base) { self.base = base }

    /// Transforms a value that is not nil.
    ///
    /// - Throws: ``NilHasNoForm`` for nil. (A setting stores nil itself, and does not call this function for it.)
    public func transformValue(_ value: Base.Input?) throws -> Base.Output {
        guard let value else { throw NilHasNoForm() }
        return try base.transformValue(value)
    }

    /// Restores a value, which is never nil.
    public func untransformValue(_ output: Base.Output) throws -> Base.Input? {
        try base.untransformValue(output)
    }
}

extension Transformer {
    /// Returns a transformer for a setting whose value is optional.
    ///
    /// ```swift
    /// let sealed = JSONTransformer<Token>().append(transformer: SealingTransformer(key: key))
    /// let token = Setting<Token?>("token", in: .defaults, transformer: sealed.forOptional())
    /// ```
    ///
    /// Nil needs no form: it is stored as nothing, or as JSON's `null` if the setting's default is not nil.
    public func forOptional() -> OptionalTransformer<Self> { OptionalTransformer(self) }
}

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

/// Transforms arrays with a transformer of their elements. ``Transformer/forArray()`` creates it.
public struct ArrayTransformer<Base: Transformer>: Transformer {
    let base: Base

    /// Transforms each element.
    public func transformValue(_ values: [Base.Input]) throws -> [Base.Output] { try values.map(base.transformValue) }

    /// Restores each element.
    public func untransformValue(_ outputs: [Base.Output]) throws -> [Base.Input] {
        try outputs.map(base.untransformValue)
    }
}

/// Transforms dictionaries with a transformer of their values. ``Transformer/forDictionary()`` creates it.
public struct DictionaryTransformer<Base: Transformer>: Transformer {
    let base: Base

    /// Transforms each value.
    public func transformValue(_ values: [String: Base.Input]) throws -> [String: Base.Output] {
        try values.mapValues(base.transformValue)
    }

    /// Restores each value.
    public func untransformValue(_ outputs: [String: Base.Output]) throws -> [String: Base.Input] {
        try outputs.mapValues(base.untransformValue)
    }
}

extension Transformer {
    /// Returns a transformer for an array of this transformer's values.
    ///
    /// ```swift
    /// let colors = HexTransformer().forArray().append(transformer: JSONTransformer<[String]>())
    /// let palette = Setting<[Color]>("palette", in: .defaults, default: [], transformer: colors)
    /// ```
    public func forArray() -> ArrayTransformer<Self> { ArrayTransformer(base: self) }

    /// Returns a transformer for a dictionary of this transformer's values.
    public func forDictionary() -> DictionaryTransformer<Self> { DictionaryTransformer(base: self) }
}

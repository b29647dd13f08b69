/// Converts values to their stored form, and back.
///
/// A setting takes a transformer whose `Output` is `Data`; transformers chain with ``append(transformer:)``:
///
/// ```swift
/// let sealed = JSONTransformer<Token>().append(transformer: SealingTransformer(key))
/// ```
///
/// `untransformValue(transformValue(x))` must equal `x` for every `x` that can be transformed. Equal values should have equal
/// output, because a store compares bytes to detect changes. Both functions are called from any thread, without a lock.
public protocol Transformer<Input, Output>: Sendable {
    /// The type of values in the program.
    associatedtype Input
    /// The type of stored values, or of the input of the next transformer.
    associatedtype Output

    /// Converts a value to its stored form.
    ///
    /// - Throws: an error if this value has no stored form; the old value stays.
    func transformValue(_ value: Input) throws -> Output

    /// Converts a stored form back to the value.
    ///
    /// - Throws: an error if this is not the stored form of any value. The stored form stays, and the setting has its default.
    func untransformValue(_ output: Output) throws -> Input
}

extension Transformer {
    /// Returns a transformer that applies this one and then `transformer`, and reverses both in the opposite order.
    public func append<Next: Transformer>(transformer: Next) -> ChainedTransformer<Self, Next>
    where Next.Input == Output {
        ChainedTransformer(first: self, second: transformer)
    }
}

/// Applies two transformers, one after the other. ``Transformer/append(transformer:)`` creates it.
public struct ChainedTransformer<First: Transformer, Second: Transformer>: Transformer
where First.Output == Second.Input {
    let first: First
    let second: Second

    init(first: First, second: Second) {
        self.first = first
        self.second = second
    }

    /// Applies the first transformer, then the second.
    public func transformValue(_ value: First.Input) throws -> Second.Output {
        try second.transformValue(first.transformValue(value))
    }

    /// Reverses the second transformer, then the first.
    public func untransformValue(_ output: Second.Output) throws -> First.Input {
        try first.untransformValue(second.untransformValue(output))
    }
}

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

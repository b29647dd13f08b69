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

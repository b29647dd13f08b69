/// A transformer of optionals made of one that knows no nil; made by ``Transformer/forOptional()``.
public struct OptionalTransformer<Base: Transformer>: Transformer {
    /// There is no stored form of nil.
    public struct NilHasNoForm: ValueFreeError {
        /// Says what is missing.
        public var description: String { "The transformer has no form for nil." }
    }

    private let base: Base

    init(_ base: Base) { self.base = base }

    /// What the transformer makes of a value that is not nil.
    ///
    /// - Throws: ``NilHasNoForm`` for nil. (A setting stores nil by itself, and never asks for it.)
    public func transformValue(_ value: Base.Input?) throws -> Base.Output {
        guard let value else { throw NilHasNoForm() }
        return try base.transformValue(value)
    }

    /// What the transformer makes of a stored form; never nil.
    public func untransformValue(_ output: Base.Output) throws -> Base.Input? {
        try base.untransformValue(output)
    }
}

extension Transformer {
    /// The same for a setting whose value is optional.
    ///
    /// ```swift
    /// let sealed = JSONTransformer<Token>().append(transformer: SealingTransformer(key: key))
    /// let token = Setting<Token?>("token", in: .defaults, transformer: sealed.forOptional())
    /// ```
    ///
    /// Nil needs no form: it is stored by storing nothing, or as JSON's `null` where the setting's default is not nil.
    public func forOptional() -> OptionalTransformer<Self> { OptionalTransformer(self) }
}

/// A two-way conversion, from a value to the form in which it is stored and back.
///
/// A setting takes a transformer whose `Output` is `Data`; transformers chain with ``append(transformer:)``:
///
/// ```swift
/// let sealed = JSONTransformer<Token>().append(transformer: SealingTransformer(key))
/// ```
///
/// `untransformValue(transformValue(x))` must be equal to `x` for every `x` that can be transformed at all, and equal
/// values should give equal output: a store tells by the bytes whether anything has changed.
/// Both functions are called from any thread, never with a lock held.
public protocol Transformer<Input, Output>: Sendable {
    /// The value as the program sees it.
    associatedtype Input
    /// The value as it is stored, or handed to the next transformer.
    associatedtype Output

    /// Converts a value to its stored form.
    ///
    /// - Throws: whatever says that this value has no stored form; the old value then stays.
    func transformValue(_ value: Input) throws -> Output

    /// Converts a stored form back to the value.
    ///
    /// - Throws: whatever says that this is not the stored form of any value; the stored form then stays as it is, and
    ///   the setting reads as its default.
    func untransformValue(_ output: Output) throws -> Input
}

extension Transformer {
    /// A transformer that applies this one and then `transformer`; the way back goes in the opposite order.
    public func append<Next: Transformer>(transformer: Next) -> ChainedTransformer<Self, Next>
    where Next.Input == Output {
        ChainedTransformer(first: self, second: transformer)
    }
}

/// Two transformers, one after the other; made by ``Transformer/append(transformer:)``.
public struct ChainedTransformer<First: Transformer, Second: Transformer>: Transformer
where First.Output == Second.Input {
    private let first: First
    private let second: Second

    init(first: First, second: Second) {
        self.first = first
        self.second = second
    }

    /// Applies the first transformer, then the second.
    public func transformValue(_ value: First.Input) throws -> Second.Output {
        try second.transformValue(first.transformValue(value))
    }

    /// Undoes the second transformer, then the first.
    public func untransformValue(_ output: Second.Output) throws -> First.Input {
        try first.untransformValue(second.untransformValue(output))
    }
}

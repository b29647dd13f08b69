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

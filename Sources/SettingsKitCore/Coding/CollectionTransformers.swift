/// A transformer of arrays, made from a transformer of their elements by ``Transformer/forArray()``.
public struct ArrayTransformer<Base: Transformer>: Transformer {
    let base: Base

    /// Transforms each element.
    public func transformValue(_ values: [Base.Input]) throws -> [Base.Output] { try values.map(base.transformValue) }

    /// Restores each element.
    public func untransformValue(_ outputs: [Base.Output]) throws -> [Base.Input] {
        try outputs.map(base.untransformValue)
    }
}

/// A transformer of dictionaries, made from a transformer of their values by ``Transformer/forDictionary()``.
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
    /// Makes this transformer fit an array of its values.
    ///
    /// ```swift
    /// let colors = HexTransformer().forArray().append(transformer: JSONTransformer<[String]>())
    /// let palette = Setting<[Color]>("palette", in: .defaults, default: [], transformer: colors)
    /// ```
    public func forArray() -> ArrayTransformer<Self> { ArrayTransformer(base: self) }

    /// Makes this transformer fit a dictionary of its values.
    public func forDictionary() -> DictionaryTransformer<Self> { DictionaryTransformer(base: self) }
}

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

/// The run-time interface of all `Optional` types.
protocol OptionalValue {
    var isNil: Bool { get }
    /// The wrapped value.
    var erasedValue: Any? { get }
    /// The nil of this type. `Any`, because a protocol cannot express "an optional of `Self`".
    static var erasedNil: Any { get }
    /// The wrapped type.
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    var erasedValue: Any? { self }
    static var erasedNil: Any { Self.none as Any }
    static var wrappedType: Any.Type { Wrapped.self }
}

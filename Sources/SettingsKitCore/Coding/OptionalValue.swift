/// What `Optional` types have in common at run time.
protocol OptionalValue {
    var isNil: Bool { get }
    /// nil of this type; `Any`, because a protocol cannot say "an optional of itself".
    static var erasedNil: Any { get }
    /// The type of the values that are not nil.
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    static var erasedNil: Any { Self.none as Any }
    static var wrappedType: Any.Type { Wrapped.self }
}

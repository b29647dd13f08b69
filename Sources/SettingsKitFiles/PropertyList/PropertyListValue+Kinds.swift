extension PropertyListValue {
    /// The value itself, if the writer can write it; else the bytes that stand for it.
    package var writable: PropertyListValue {
        XMLPropertyListWriter.canRepresent(self) ? self : .data(NativeValue.bytes(of: self))
    }

    /// Whether the bytes that stand for the value might as well stand for one of another kind: a date or a real number
    /// (their bytes are those of a number), or data inside a collection (a string).
    package var hasKindOfItsOwn: Bool {
        switch self {
        case .date, .real: true
        case .boolean, .integer, .unsigned, .string, .data: false
        case .array(let values): values.contains { $0.isData || $0.hasKindOfItsOwn }
        case .dictionary(let members): members.contains { $0.value.isData || $0.value.hasKindOfItsOwn }
        }
    }

    private var isData: Bool {
        if case .data = self { true } else { false }
    }
}

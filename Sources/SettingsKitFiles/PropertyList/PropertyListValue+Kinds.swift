extension PropertyListValue {
    /// The value itself if the writer can write it, otherwise its bytes.
    package var writable: PropertyListValue {
        XMLPropertyListWriter.canRepresent(self) ? self : .data(NativeValue.bytes(of: self))
    }

    /// Whether the value's bytes could also be those of another kind: a real number's (those of a number), or a date's or of data
    /// inside a collection (those of a string).
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

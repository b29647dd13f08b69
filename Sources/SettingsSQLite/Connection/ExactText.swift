/// SQL, or a name in it. Unlike strings, two that are written with other scalars are not equal.
struct ExactText: Hashable {
    let text: String

    static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    /// Hashes the length and the end, in which most statements differ: each run of a statement looks for it.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(32)))
        }
    }
}

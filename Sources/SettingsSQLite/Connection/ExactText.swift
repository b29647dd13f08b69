/// SQL, or a name in it. Unlike strings, two texts are equal only if their scalars are.
struct ExactText: Hashable {
    let text: String

    static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    /// Hashes the length and the end, where most statements differ. Each run of a statement needs the hash.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(32)))
        }
    }
}

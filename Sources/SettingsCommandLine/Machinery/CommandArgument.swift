/// An argument of a process: bytes, which are mostly text in UTF-8.
package struct CommandArgument: Equatable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The text; nil if the bytes are not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The text for messages, with � in the place of bytes that are not UTF-8.
    package var shown: String { String(decoding: bytes, as: UTF8.self) }

    /// The text.
    ///
    /// - Throws: A failure that says in words that the bytes are not UTF-8.
    package func requiredText() throws(CommandFailure) -> String {
        if let text { return text }
        throw .usage(
            "The argument \(quoted(shown)) is not text in UTF-8. Names, values and paths are UTF-8; give other bytes in "
                + "base 64, with --data.")
    }
}

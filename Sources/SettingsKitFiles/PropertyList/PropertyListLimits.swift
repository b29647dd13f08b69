/// The limits for reading and writing property lists. They prevent a malicious file from exhausting the stack or the
/// memory.
package enum PropertyListLimits {
    /// The greatest depth of nested arrays and dictionaries, including the outermost. It is the limit of Apple's
    /// reader.
    package static let depth = 512

    /// The greatest number of values in a binary file of `size` bytes, if every shared reference is counted each time.
    ///
    /// A reference takes at least one byte. So only a file that shares arrays or dictionaries inside one another, and
    /// has more than four million values, can be refused.
    static func expandedValues(fileSize size: Int) -> Int {
        max(4_000_000, size)
    }

    /// The greatest number of bytes of strings and data in a binary file of `size` bytes, if every shared reference is
    /// counted each time: 256 MiB, or eight times the file if that is more.
    static func expandedBytes(fileSize size: Int) -> Int {
        max(256 << 20, size.multiplied(byChecked: 8) ?? .max)
    }
}

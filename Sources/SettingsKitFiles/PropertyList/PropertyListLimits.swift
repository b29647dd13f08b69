/// The bounds within which property lists are read and written, so that no file, however it was made, can exhaust the
/// stack or the memory of the program.
package enum PropertyListLimits {
    /// How many arrays and dictionaries may be nested in one another, the outermost counted. The limit is that of
    /// Apple's own reader.
    package static let depth = 512

    /// How many values a binary file of `size` bytes may stand for when every shared reference is counted each time.
    ///
    /// A reference takes at least one byte, so only a file that shares arrays or dictionaries inside one another, and
    /// stands for more than four million values, can be refused.
    static func expandedValues(fileSize size: Int) -> Int {
        max(4_000_000, size)
    }

    /// How many bytes of strings and data a binary file of `size` bytes may stand for when every shared reference is
    /// counted each time: 256 MiB, or eight times the file if that is more.
    static func expandedBytes(fileSize size: Int) -> Int {
        max(256 << 20, size.multiplied(byChecked: 8) ?? .max)
    }
}

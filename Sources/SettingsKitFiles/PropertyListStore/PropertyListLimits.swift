/// The limits for reading and writing property lists and their journals. They prevent a malicious file from exhausting the stack or
/// the memory.
package enum PropertyListLimits {
    /// The greatest depth of nested arrays and dictionaries, including the outermost. It is the limit of Apple's
    /// reader.
    package static let depth = 512
    /// The size of the largest file that is read or written, in bytes.
    static let fileSize = 1 << 30
    /// The size of the longest journal that is read or written, in bytes: a journal is folded or rewritten long before it reaches
    /// this size.
    static let journalSize: Int64 = 1 << 29
    /// The greatest number of attempts to read files that keep being replaced; they stay for at least a tenth of a second.
    static let readingAttempts = 100
    /// The same when an open store reads them again.
    static let refreshingAttempts = 10
    /// The size of a piece of a journal that is read at once, in bytes. It limits how long the files are locked while other threads
    /// may need them.
    static let journalPiece: Int64 = 1 << 18
    /// The greatest size of a record's other fields beside a name and its bytes.
    static let recordFields = 64
    /// Larger files are not searched for the line of a setting: it would take too long for a diagnosis.
    static let searchedFileSize: Int64 = 4 << 20
    /// The recovery of a damaged file ends when it has read this many times the length of the text in vain.
    static let recoveryEffort = 16

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

/// The limits of one property-list store. Tests choose smaller ones.
package struct PropertyListStoreLimits: Sendable {
    /// The bytes of all names and values together.
    package var contents = 256 << 20
    /// The length of the journal while it can be neither folded nor rewritten.
    package var journal = Int(clamping: PropertyListLimits.journalSize)
    /// The length of the journal at which it is rewritten, with one record for each name, because it was not folded.
    package var rewrite = 64 << 20

    package init() {}
}

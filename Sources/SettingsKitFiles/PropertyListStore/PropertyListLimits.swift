import SettingsKitCore

/// The limits for reading and writing property lists. They prevent a malicious file from exhausting the stack or
/// the memory.
package enum PropertyListLimits {
    /// The greatest depth of nested arrays and dictionaries, including the outermost. It is the limit of Apple's
    /// reader.
    package static let depth = 512
    /// The size of the largest file that is read or written, in bytes.
    static let fileSize = 1 << 30
    /// The greatest number of attempts to read or to print a list that keeps changing.
    static let attempts = 10
    /// Larger files are not searched for the line of a setting: it would take too long for a diagnosis.
    static let searchedFileSize: Int64 = 4 << 20

    /// The greatest number of values in a binary file of `size` bytes, if every shared reference is counted each time.
    ///
    /// A reference takes at least one byte. So only a file that shares arrays or dictionaries inside one another, and
    /// has more than a million values, can be refused.
    static func expandedValues(fileSize size: Int) -> Int { max(1_000_000, size) }

    /// The greatest number of bytes of strings and data in a binary file of `size` bytes, if every shared reference is
    /// counted each time: 64 MiB, or eight times the file if that is more.
    static func expandedBytes(fileSize size: Int) -> Int { 8 * max(8 << 20, size) }
}

/// The limits of one property-list store. Tests choose smaller ones.
package struct PropertyListStoreLimits: Sendable {
    /// The bytes of all names and values together.
    package var contents = 256 << 20

    package init() {}
}

/// The reason why data is too large to be stored.
enum TooMuch: ValueFreeError {
    case contents(limit: Int)
    case propertyList(limit: Int)

    var description: String {
        switch self {
        case .contents(let limit):
            "The names and values of one property list take at most \(limit) bytes; store large data in files."
        case .propertyList(let limit):
            "As a property list, the settings take more than \(limit) bytes; store large data in files."
        }
    }
}

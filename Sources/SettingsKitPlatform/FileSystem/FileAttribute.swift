/// A property of a file that a file which replaces it is to have, beside its permissions.
package enum FileAttribute: Equatable, Sendable {
    /// An extended attribute, which a user or another program has given to the file.
    case extended(name: String, value: [UInt8])
    /// When the contents of a file can be decrypted: a class of Apple's data protection.
    case protectionClass(Int32)

    /// The greatest number of bytes of a value that is carried over. (The same as that of Linux.)
    static let sizeLimit = 65_536

    /// The names in the answer of the system: each ends with a NUL. Names that are not UTF-8 are left out.
    static func names(in list: [UInt8]) -> [String] {
        list.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
    }
}

extension FileSystem {
    /// Gives a new file the attributes of the file that it replaces, as far as that is possible.
    func carryAttributes(from path: String, to file: FileHandle) {
        // What cannot be kept is no reason to lose a value.
        for attribute in attributes(of: path) { setAttribute(attribute, of: file) }
    }
}

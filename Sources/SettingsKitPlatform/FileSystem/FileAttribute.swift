/// A property that a file's replacement must keep, in addition to the permissions.
package enum FileAttribute: Equatable, Sendable {
    /// An extended attribute that a user or another program has set.
    case extended(name: String, value: [UInt8])
    /// When the contents of a file can be decrypted: a class of Apple's data protection.
    case protectionClass(Int32)

    /// Splits the system's list of names, each of which ends with a NUL. Leaves out names that are not UTF-8.
    static func names(in list: [UInt8]) -> [String] {
        list.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
    }
}

extension FileSystem {
    /// Copies the attributes of a replaced file to the new one, as far as possible.
    func carryAttributes(from path: String, to file: FileHandle) {
        // An attribute that cannot be kept must not cost a value.
        for attribute in attributes(of: path) { setAttribute(attribute, of: file) }
    }
}

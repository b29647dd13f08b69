import Foundation
import SettingsKitFiles
import SettingsKitPlatform
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

func bytes(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

/// Writes in place, as an editor without atomic saving does.
func write(_ data: Data, to path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }

/// The members of the property list at a path; fails where it is not a complete property list.
func members(of path: String) throws -> [String: PropertyListValue] {
    let members = try PropertyListReader.readDictionary(bytes(of: path))
    return Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
}

/// The names in a directory, sorted; without those of journals, and of the files that property lists have replaced.
func names(in directory: String) throws -> [String] {
    let companions = ["-journal", ".plist-previous"]
    return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { name in !companions.contains { name.hasSuffix($0) } }.sorted()
}

/// The `st_mode` of what is at a path, links not followed, without the bits of the file's kind.
func permissions(of path: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o7777
}

func inode(of path: String) throws -> UInt64 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return UInt64(status.st_ino)
}

func isLink(_ path: String) throws -> Bool {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & S_IFMT == S_IFLNK
}

/// A property list in XML whose root is a dictionary with the given text in it.
func xml(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>\(body)</dict></plist>
    """
}

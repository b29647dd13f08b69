import CSettingsTestSupport
import Foundation
import SettingsKitPlatform
import Testing

/// The bytes of a file.
package func bytes(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

/// Writes text in place, as an editor without atomic saving does.
package func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

/// Writes bytes in place, as an editor without atomic saving does.
package func write(_ data: Data, to path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }

/// The names in a directory, sorted; without those of logs, their lock files, and the files that property lists
/// have replaced.
package func names(in directory: String) throws -> [String] {
    let companions = ["-log", "-lock", ".plist-previous"]
    return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { name in !companions.contains { name.hasSuffix($0) } }.sorted()
}

/// The `st_mode` of what is at a path, links not followed, without the bits of the file's kind.
package func permissions(of path: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o7777
}

package func inode(of path: String) throws -> UInt64 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return UInt64(status.st_ino)
}

package func isLink(_ path: String) throws -> Bool {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & S_IFMT == S_IFLNK
}

/// Makes a directory in one that is there.
package func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
}

/// Removes a file, or a directory with all that is in it.
package func removeAll(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

/// Renames a file or directory.
package func move(_ path: String, to newPath: String) throws(SystemError) {
    try POSIXFileSystem().rename(path, to: newPath)
}

/// Exchanges the names of two files or directories. On Linux only.
package func exchange(_ path: String, _ other: String) throws {
    try #require(csettingstest_exchange(path, other) == 0)
}

/// Makes a symbolic link.
package func link(_ path: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
}

/// Makes a file unreadable: puts a directory in its place, because root reads files of any mode.
///
/// - Returns: a function that puts the file back.
package func makeUnreadable(_ path: String) throws -> @Sendable () throws -> Void {
    try move(path, to: path + "-away")
    try makeDirectory(path)
    return {
        try removeAll(path)
        try move(path + "-away", to: path)
    }
}

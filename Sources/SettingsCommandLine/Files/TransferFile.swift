import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file of settings outside of a store.
package enum TransferFile {
    /// Reads a file, a pipe too, or standard input for `-`.
    ///
    /// - Throws: A failure that names the file.
    package static func read(_ path: String, _ streams: CommandStreams) throws -> Data {
        if let data = try? path == "-" ? streams.read() : read(path) { return data }
        throw CommandFailure.failure("\(quoted(path)) cannot be read. Check the path and the permissions.")
    }

    /// Reads a pipe, too, which Foundation's functions refuse.
    private static func read(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        return try StandardStreams.read(descriptor)
    }

    /// Replaces a file as a whole. A new file can be used by its owner only.
    ///
    /// - Throws: A failure if the path has something other than a file, or its directory is missing; the system's error.
    package static func write(_ text: String, to path: String) throws {
        let fileSystem = POSIXFileSystem()
        if let status = try fileSystem.status(of: path, followingLink: true), status.kind != .file {
            throw CommandFailure.failure(
                "\(quoted(path)) is not a file, and was not replaced. Without a file, the export goes to standard output."
            )
        }
        // The directory of the path; `.` if the path names none.
        let directory = WholeFile.split(path).directory
        guard try fileSystem.status(of: directory, followingLink: true)?.kind == .directory else {
            throw CommandFailure.failure("There is no directory \(quoted(directory)). Check the path.")
        }
        _ = try WholeFile(path: path, fileSystem: fileSystem).replace(with: Data(text.utf8))
    }

    /// The name of the file in messages.
    package static func shown(_ path: String) -> String { path == "-" ? "The input" : quoted(path) }
}

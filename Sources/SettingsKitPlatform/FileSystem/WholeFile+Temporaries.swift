#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Names and creates temporary files, and recognizes abandoned ones.
///
/// The process that writes a temporary file keeps it open and locked until it is renamed. The system releases the locks
/// of a process that ends, so a temporary file without a lock is abandoned.
extension WholeFile {
    /// When to remove temporary files without a lock.
    package enum Abandonment: Sendable {
        /// At once: all processes that write here are on this machine.
        case unlocked
        /// After an hour: another machine may be writing, whose locks are not visible here.
        case unlockedForAnHour
    }

    /// Creates a temporary file beside the file at a path, and locks it.
    package static func makeTemporary(beside target: String, in fileSystem: any FileSystem) throws(SystemError)
        -> FileHandle
    {
        var attempts = 0
        while true {
            let file = try fileSystem.create(temporaryPath(for: target))
            do throws(SystemError) {
                // Another process may have treated the file as abandoned before it was locked.
                if try fileSystem.lock(file), try fileSystem.status(of: file).linkCount > 0 { return file }
                attempts += 1
                if attempts == PlatformLimits.racingAttempts {
                    throw SystemError(call: "flock", path: file.path, number: EAGAIN)
                }
            } catch {
                fileSystem.close(file)
                removeOwn(file.path, in: fileSystem)
                throw error
            }
            fileSystem.close(file)
        }
    }

    /// Removes a temporary file that this process does not need.
    package static func removeOwn(_ path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            try fileSystem.remove(path)
        } catch {
            // A later run removes it. The error that led here is reported.
        }
    }

    private static let suffix = ".tmp"

    /// Returns the name of a temporary file for the file at `path`. ``removeTemporaries(_:)`` recognizes it.
    package static func temporaryPath(for target: String) -> String {
        let (directory, name) = split(target)
        let random = String(getpid(), radix: 36) + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
        return join(directory, ".\(CompanionName.stem(of: name)).\(random)\(suffix)")
    }

    /// Removes the temporary files of processes that died between writing and renaming.
    package func removeTemporaries(_ abandonment: Abandonment) throws(SystemError) {
        let (directory, name) = Self.split(try resolvedPath())
        guard try fileSystem.status(of: directory, followingLink: true)?.kind == .directory else { return }
        for candidate in try fileSystem.names(inDirectory: directory)
        where Self.isTemporary(candidate, of: name) {
            let path = Self.join(directory, candidate)
            guard let status = try fileSystem.status(of: path, followingLink: false), status.kind == .file,
                abandonment == .unlocked || status.modified.seconds < Self.abandonmentEnd
            else { continue }
            try removeUnlocked(path)
        }
    }

    /// Whether a name is one that ``temporaryPath(for:)`` makes for a file with another name.
    package static func isTemporary(_ candidate: String, of name: String) -> Bool {
        let prefix = ".\(CompanionName.stem(of: name))."
        guard candidate.hasPrefix(prefix) else { return false }
        // A longer name belongs to another file.
        return candidate.hasSuffix(suffix) && !candidate.dropFirst(prefix.count).dropLast(suffix.count).contains(".")
    }

    private static var abandonmentEnd: Int64 { Int64(Date().timeIntervalSince1970) - PlatformTimings.abandonment }

    /// Removes a temporary file, unless a process has it locked.
    package func removeUnlocked(_ path: String) throws(SystemError) {
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.openForReading(path, followingLink: false)
        } catch {
            // Another process has removed it, or another user owns it, whose programs remove it.
            return
        }
        defer { fileSystem.close(file) }
        if try fileSystem.lock(file) { Self.removeOwn(path, in: fileSystem) }
    }
}

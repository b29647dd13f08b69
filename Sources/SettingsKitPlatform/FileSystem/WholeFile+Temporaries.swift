#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Temporary files: how they are named and made, and how those of dead processes are told from others.
///
/// The process that writes a temporary file has it open and locked until the file has another name. The system frees the
/// lock of a process that ends, so a temporary file that can be locked belongs to no process.
extension WholeFile {
    /// When temporary files are removed that no process has locked.
    package enum Abandonment: Sendable {
        /// At once: all processes that write here are on this machine.
        case unlocked
        /// After an hour: another machine may be writing, whose locks do not show here.
        case unlockedForAnHour
    }

    /// Makes a temporary file beside the file at a path, and locks it.
    package static func makeTemporary(beside target: String, in fileSystem: any FileSystem) throws(SystemError)
        -> FileHandle
    {
        var attempts = 0
        while true {
            let file = try fileSystem.create(temporaryPath(for: target))
            do throws(SystemError) {
                // Another process may have taken it for abandoned before it was locked.
                if try fileSystem.lock(file), try fileSystem.status(of: file).linkCount > 0 { return file }
                attempts += 1
                if attempts == 100 { throw SystemError(call: "flock", path: file.path, number: EAGAIN) }
            } catch {
                fileSystem.close(file)
                removeOwn(file.path, in: fileSystem)
                throw error
            }
            fileSystem.close(file)
        }
    }

    /// Removes a temporary file of this process that is of no use.
    package static func removeOwn(_ path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            try fileSystem.remove(path)
        } catch {
            // A later run removes it, and the reason for which it is removed says what is wrong.
        }
    }

    private static let suffix = ".tmp"
    /// That of the name which a file has for the moment that was replaced. Nothing has it locked.
    static let keptSuffix = ".kept"

    /// A name for a file that is to take the place of the one at `path`. ``removeTemporaries(_:)`` recognizes it.
    package static func temporaryPath(for target: String, suffix: String = suffix) -> String {
        let (directory, name) = split(target)
        let random = String(getpid(), radix: 36) + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
        return join(directory, ".\(CompanionName.stem(of: name)).\(random)\(suffix)")
    }

    /// Removes what processes left behind that died between writing and renaming.
    package func removeTemporaries(_ abandonment: Abandonment) throws(SystemError) {
        let (directory, name) = Self.split(try resolvedPath())
        guard try fileSystem.status(of: directory, followingLink: true)?.kind == .directory else { return }
        let prefix = ".\(CompanionName.stem(of: name))."
        for candidate in try fileSystem.names(inDirectory: directory) where candidate.hasPrefix(prefix) {
            let isKept = candidate.hasSuffix(Self.keptSuffix)
            guard isKept || candidate.hasSuffix(Self.suffix),
                // A longer name belongs to another file.
                !candidate.dropFirst(prefix.count).dropLast(isKept ? 5 : 4).contains(".")
            else { continue }
            let path = Self.join(directory, candidate)
            guard let status = try fileSystem.status(of: path, followingLink: false), status.kind == .file,
                // The contents of a kept file are older than its name.
                abandonment == .unlocked && !isKept
                    || (isKept ? status.changed : status.modified).seconds < Self.anHourAgo
            else { continue }
            try removeUnlocked(path)
        }
    }

    private static var anHourAgo: Int64 { Int64(Date().timeIntervalSince1970) - 3_600 }

    private func removeUnlocked(_ path: String) throws(SystemError) {
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.openForReading(path, followingLink: false)
        } catch {
            // Another process has removed it, or it is another user's: that user's programs remove it.
            return
        }
        defer { fileSystem.close(file) }
        if try fileSystem.lock(file) { Self.removeOwn(path, in: fileSystem) }
    }
}

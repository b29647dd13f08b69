import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of inspecting a path. Nothing is locked or written, and a pipe or a device is not opened.
struct InspectedFile: Sendable {
    enum Contents: Sendable {
        /// There is nothing at the path, or it is not a regular file.
        case none
        case tooLarge
        case unreadable(SystemError)
        case bytes(Data)
    }

    var path: String
    /// The status of what is at the path; nil if there is nothing.
    var status: FileStatus?
    var contents: Contents

    /// Reads what is at a path.
    ///
    /// - Parameters:
    ///   - limit: The greatest size that is read.
    ///   - isFollowingLink: Whether a symbolic link at the path is followed.
    init(path: String, in fileSystem: any FileSystem, limit: Int64, followingLink isFollowingLink: Bool) {
        self.path = path
        do throws(SystemError) {
            status = try fileSystem.status(of: path, followingLink: isFollowingLink)
            contents = .none
            guard let status, status.kind == .file else { return }
            guard status.size <= limit else {
                contents = .tooLarge
                return
            }
            let file = try fileSystem.openForReading(path, followingLink: isFollowingLink)
            defer { fileSystem.close(file) }
            // The file may have been replaced, by a pipe for example.
            let opened = try fileSystem.status(of: file)
            guard opened.kind == .file, opened.size <= limit else { return }
            self.status = opened
            contents = .bytes(Data(try fileSystem.read(Int(clamping: opened.size), of: file, at: 0)))
        } catch {
            contents = .unreadable(error)
        }
    }

    /// The bytes, if they were read.
    var bytes: Data? {
        if case .bytes(let data) = contents { data } else { nil }
    }

    /// The findings about the file itself and not its contents.
    ///
    /// - Parameters:
    ///   - what: What the file is, to begin a sentence: `The property list`.
    ///   - now: The machine's time, in seconds since 1970.
    func findings(what: String, now: Int64) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        switch contents {
        case .unreadable(let error):
            findings.append(
                StoreFinding(
                    .unreadable, at: path, "\(what) cannot be read: \(error)",
                    advice: "Give this user access to it, or run the command as its owner."))
        case .tooLarge:
            findings.append(
                StoreFinding(
                    .tooLarge, at: path, "\(what) is larger than a store reads.",
                    advice: "Remove settings from it, or move it away."))
        case .none, .bytes: break
        }
        guard let status else { return findings }
        if status.kind != .file {
            findings.append(
                StoreFinding(
                    .notAFile, at: path,
                    "\(what) is \(status.kind == .directory ? "a directory" : "not a regular file").",
                    advice: "Move it away, or name another path."))
            return findings
        }
        if status.permissions.othersAccess & FilePermissions.writing != 0 {
            findings.append(
                StoreFinding(
                    .writableByOthers, at: path, "\(what) can be written by every user of this machine.",
                    advice: "Restrict its permissions: chmod o-w."))
        }
        if status.modified.seconds > now.addingReportingOverflow(PlatformTimings.clockTolerance).partialValue {
            findings.append(
                StoreFinding(
                    .futureTime, .note, at: path,
                    "\(what) was changed more than a day after the time of this machine's clock.",
                    advice: "Check the clock."))
        }
        return findings
    }
}

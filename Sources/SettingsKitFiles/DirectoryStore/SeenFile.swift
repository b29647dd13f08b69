import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file in the shared directory, at the last reading.
struct SeenFile: Sendable {
    enum Content: Sendable {
        /// The file is not a replica's file.
        case foreign
        case replica(Summary)
        case tooLarge
        case newerVersion(Int)
        /// The file is only in the cloud.
        case placeholder
        case unreadable(SystemError)
    }

    /// What is known of a replica's file after it was read.
    struct Summary: Sendable {
        /// The replica that has written the file.
        var replica: LogReplica?
        /// When each replica made its latest change in the file, in milliseconds since 1970.
        var lastChanges: [UInt64: Int64] = [:]
        var damagedLines = 0
        /// The end of the last complete line, and the check of the bytes before it: if they stay, they need not be read again.
        var end = 0
        var check: UInt32 = 0

        /// Records a line, and returns its changes.
        fileprivate mutating func add(_ line: LogLineReader.Result) -> LogChanges? {
            switch line {
            case .line(.changes(let changes)):
                guard let stamp = changes.stamp else {
                    damagedLines += 1
                    return nil
                }
                lastChanges[stamp.replica] = max(lastChanges[stamp.replica] ?? 0, stamp.milliseconds)
                return changes
            case .line(.replica(let replica)): self.replica = replica
            case .line(.beginning), .line(.failedFlush), .line(.replaced), .line(.list), .newerVersion: break
            case .damaged: damagedLines += 1
            }
            return nil
        }
    }

    /// The file's status. Nil if it is unknown or was changing; the next reading then reads the file again.
    var status: FileStatus?
    var content: Content
    /// Whether the file was read just now, so that it may be arriving.
    var isFresh = true

    /// The summary, if it is a replica's file.
    var summary: Summary? {
        if case .replica(let summary) = content { summary } else { nil }
    }

    func problem(named name: String) -> ReplicaProblem? {
        switch content {
        // With the usual name, it may be a replica's damaged file.
        case .foreign: ReplicaFileName.isLikely(name) ? .damagedFile(name, lines: 1) : nil
        case .unreadable(let error): .unreadable(name, error)
        case .tooLarge: .tooLarge(name)
        case .newerVersion(let version): .newerFile(name, version: version)
        case .placeholder: .notDelivered(name)
        case .replica(let summary):
            summary.damagedLines > 0 ? .damagedFile(name, lines: summary.damagedLines) : nil
        }
    }

    /// Whether the file has a problem that may disappear soon, because the file may be arriving.
    func isUnsettled(named name: String) -> Bool {
        guard isFresh, case .damagedFile = problem(named: name) else { return false }
        return true
    }
}

// MARK: Reading

extension SeenFile {
    /// Reads a file of the shared directory, unless it is unchanged.
    ///
    /// - Parameter known: The file at the last reading.
    /// - Returns: The file, and the lines that were not there at the last reading. Nil if there is no file.
    static func read(
        _ path: String, known: SeenFile? = nil, in fileSystem: any FileSystem
    ) -> (seen: SeenFile, lines: [LogChanges])? {
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false), status.kind == .file else {
                return nil
            }
            if var known, known.status == status {
                known.isFresh = false
                return (known, [])
            }
            if status.isDataless || ReplicaFileName.isPlaceholder(WholeFile.split(path).name) {
                return (SeenFile(status: status, content: .placeholder), [])
            }
            return try fileSystem.coordinating(.reading, of: path) { () throws(SystemError) in
                try read(path, status, known?.summary, fileSystem)
            }
        } catch {
            if error.number == ENOENT { return nil }
            return (SeenFile(status: nil, content: .unreadable(error)), [])
        }
    }

    private static func read(
        _ path: String, _ status: FileStatus, _ known: Summary?, _ fileSystem: any FileSystem
    ) throws(SystemError) -> (seen: SeenFile, lines: [LogChanges])? {
        let file = try fileSystem.openForReading(path, followingLink: false)
        defer { fileSystem.close(file) }
        let opened = try fileSystem.status(of: file)
        // The path may have been replaced in the meantime, for example by a FIFO.
        guard opened.kind == .file else { return nil }
        let beginning = try fileSystem.read(LogLine.magic.utf8.count, of: file, at: 0)
        guard LogLineReader.beginning(of: beginning) == .log else {
            return (SeenFile(status: opened, content: .foreign), [])
        }
        guard opened.size <= DirectoryLimits.fileSize else {
            return (SeenFile(status: opened, content: .tooLarge), [])
        }
        let bytes = try fileSystem.read(Int(clamping: opened.size), of: file, at: 0)
        // If the file is being written in place, the lines read so far are used, and it is read again.
        let isSettled = try fileSystem.status(of: file) == opened && opened == status
        let (content, lines) = read(bytes, known)
        return (SeenFile(status: isSettled ? opened : nil, content: content), lines)
    }

    /// Reads the lines of a replica's file.
    ///
    /// - Parameter known: What is known of the file. The lines that were read are skipped if their bytes are the same.
    static func read(_ bytes: [UInt8], _ known: Summary? = nil) -> (content: Content, lines: [LogChanges]) {
        var summary = Summary()
        if let known, known.end <= bytes.count, check(bytes[..<known.end]) == known.check { summary = known }
        var lines: [LogChanges] = []
        var newerVersion: Int?
        summary.end = LogLineReader.read(bytes, from: summary.end) { line, _ in
            if case .newerVersion(let version) = line { newerVersion = version }
            if let changes = summary.add(line) { lines.append(changes) }
        }
        if let newerVersion { return (.newerVersion(newerVersion), []) }
        summary.check = check(bytes[..<summary.end])
        return (.replica(summary), lines)
    }

    private static func check(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum($0) } }
}

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
        /// A directory, a link or the like, with the usual name of a replica's file.
        case noFile
        case replica(Summary)
        case tooLarge
        case newerVersion(Int)
        /// The file is only in the cloud.
        case placeholder
        case unreadable(SystemError)
    }

    /// The summary that is kept of a replica's file after it was read.
    struct Summary: Sendable {
        var header: ReplicaHeader?
        var recordCount: Int
        var damagedLines: Int
        var oversizedRecords: Int
        var isComplete: Bool
        /// The number of records that are too far in the future.
        var heldBackCount = 0
        /// The earliest instant of the records that are too far in the future, by epoch.
        var heldBack: [UInt32: Instant] = [:]
        /// The number of records with an epoch that no replica can have reached.
        var refusedCount = 0
        /// The contents, for own files.
        var contents: PartContents?
        /// The latest change of each replica among the records, and in a head also its writer's.
        var latest = HeardMoments()

        init(of file: ReplicaFile) {
            header = file.header
            recordCount = file.records.count
            damagedLines = file.damagedLines
            oversizedRecords = file.oversizedRecords
            isComplete = file.isComplete
            if let header = file.header {
                latest.raise(header.replica, to: header.heard.moments[header.replica] ?? .earliest)
            }
            for record in file.records { latest.raise(record.entry.stamp.replica, to: record.entry.stamp.moment) }
        }

        /// Records the entries that a merge skipped.
        mutating func record(_ outcome: SharedMerge.Outcome) {
            heldBackCount = outcome.heldBack.count
            for record in outcome.heldBack {
                let moment = record.entry.stamp.moment
                heldBack[moment.epoch] = min(heldBack[moment.epoch] ?? moment.instant, moment.instant)
            }
            refusedCount = outcome.refusedCount
        }

        /// Whether the merge skipped no record.
        var isWhollyMerged: Bool { heldBackCount == 0 && refusedCount == 0 && oversizedRecords == 0 }

        /// Whether a held-back record is now accepted.
        func isDue(_ now: Int64, _ accepted: AcceptedTimes) -> Bool {
            heldBack.contains { accepted.accepts(HybridMoment(epoch: $0.key, instant: $0.value), now: now) }
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

    /// Returns the problems to diagnose. Leaves out damage to a file that may be arriving.
    func settledProblems(named name: String) -> [ReplicaProblem] {
        problems(named: name).filter { problem in
            switch problem {
            case .damagedFile, .incompleteFile: !isFresh
            default: true
            }
        }
    }

    /// Whether the file may be arriving: it was read just now, and is incomplete or has a problem that may disappear soon.
    func isUnsettled(named name: String) -> Bool {
        guard isFresh else { return false }
        return summary?.isComplete == false || problems(named: name).count > settledProblems(named: name).count
    }

    func problems(named name: String) -> [ReplicaProblem] {
        switch content {
        case .noFile: return []
        // With the usual name, it may be a replica's damaged file.
        case .foreign: return ReplicaFileName.isLikely(name) ? [.damagedFile(name, intact: 0, damaged: 1)] : []
        case .unreadable(let error): return [.unreadable(name, error)]
        case .tooLarge: return [.tooLarge(name)]
        case .newerVersion(let version): return [.newerFile(name, version: version)]
        case .placeholder: return [.notDelivered(name)]
        case .replica(let summary):
            var problems: [ReplicaProblem] = []
            let damaged = summary.damagedLines + summary.refusedCount
            if damaged > 0 {
                let intact = summary.recordCount - summary.refusedCount + (summary.header == nil ? 0 : 1)
                problems.append(.damagedFile(name, intact: intact, damaged: damaged))
            } else if let all = summary.header?.recordCount, !summary.isComplete {
                let present = summary.recordCount + summary.oversizedRecords
                problems.append(.incompleteFile(name, present: present, all: all))
            }
            if summary.oversizedRecords > 0 {
                problems.append(.oversizedRecords(name, records: summary.oversizedRecords))
            }
            if summary.heldBackCount > 0 { problems.append(.clockAhead(name, records: summary.heldBackCount)) }
            return problems
        }
    }
}

extension SeenFile {
    /// Reads a file of the shared directory.
    ///
    /// - Parameters:
    ///   - sizeLimit: The greatest size that is read.
    ///   - known: Returns what was seen of a file with this status, which then is not read again. Nil to read the file.
    /// - Returns: The file's current state, and its contents if it was read. Nil if there is no file.
    static func read(
        _ name: String, in directory: String, _ fileSystem: any FileSystem, sizeLimit: Int,
        known: (FileStatus) -> SeenFile? = { _ in nil }
    ) -> (seen: SeenFile, file: ReplicaFile?)? {
        let path = WholeFile.join(directory, name)
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false) else { return nil }
            guard status.kind == .file else {
                return ReplicaFileName.isLikely(name) ? (SeenFile(status: status, content: .noFile), nil) : nil
            }
            if var known = known(status) {
                known.isFresh = false
                return (known, nil)
            }
            if status.isDataless || ReplicaFileName.isPlaceholder(name) {
                return (SeenFile(status: status, content: .placeholder), nil)
            }
            return try fileSystem.coordinating(.reading, of: path) { () throws(SystemError) in
                try read(path, status, fileSystem, sizeLimit)
            }
        } catch {
            if error.number == ENOENT { return nil }
            return (SeenFile(status: nil, content: .unreadable(error)), nil)
        }
    }

    private static func read(
        _ path: String, _ status: FileStatus, _ fileSystem: any FileSystem, _ sizeLimit: Int
    ) throws(SystemError) -> (seen: SeenFile, file: ReplicaFile?)? {
        let file = try fileSystem.openForReading(path)
        defer { fileSystem.close(file) }
        let opened = try fileSystem.status(of: file)
        // The path may have been replaced in the meantime, for example by a FIFO.
        guard opened.kind == .file else { return nil }
        let beginning = try fileSystem.read(64, of: file, at: 0)
        guard ReplicaFileReader.canBegin(beginning) else { return (SeenFile(status: opened, content: .foreign), nil) }
        guard opened.size <= sizeLimit else { return (SeenFile(status: opened, content: .tooLarge), nil) }
        let bytes = try fileSystem.read(Int(clamping: opened.size), of: file, at: 0)
        // If the file is being written in place, the lines read so far are used, and it is read again.
        let isSettled = try fileSystem.status(of: file) == opened && opened == status
        var seen = SeenFile(status: isSettled ? opened : nil, content: .foreign)
        switch bytes.withUnsafeBufferPointer(ReplicaFileReader.read) {
        case .foreign: return (seen, nil)
        case .newerVersion(let version):
            seen.content = .newerVersion(version)
            return (seen, nil)
        case .file(let replicaFile):
            seen.content = .replica(Summary(of: replicaFile))
            return (seen, replicaFile)
        }
    }
}

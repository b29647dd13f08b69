import SettingsCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Looking at the directory: which files are new, and what is in them.
extension ReplicatedDirectory {
    /// More files than that are not looked at.
    private static var fileLimit: Int { 2_000 }

    /// Takes over what the directory now holds. Files that are as they were last time are not read again.
    ///
    /// - Throws: whatever the system reports of the directory, or of the local state. A file that cannot be read is no
    ///   reason not to read the others.
    func look() throws {
        try makeDirectory()
        let names = try candidates()
        let known = table.withLock { $0.files }
        var returning: [String: [SharedRecord]] = [:]
        var isUnsettled = false
        for name in names {
            let path = WholeFile.join(directory, name)
            guard let (seen, file) = read(name, at: path, known: known[name]) else { continue }
            var new = seen
            if let file {
                new = try takeOver(file, name, seen, &returning)
            } else {
                try takeDue(name, &new, &returning)
            }
            isUnsettled = isUnsettled || new.isFresh && new.summary?.isComplete == false
            table.withLock { $0.files[name] = new }
        }
        let present = Set(names)
        table.withLock { table in
            for name in known.keys where !present.contains(name) { table.files[name] = nil }
        }
        do {
            try takeReturning(returning)
        } catch {
            // They are read again.
            table.withLock { table in
                for name in returning.keys { table.files[name]?.status = nil }
            }
            throw error
        }
        try correctClock()
        try collectTombstones()
        tellProblems()
        if isUnsettled { lookAgain(after: .seconds(1)) }
        hasLookedInVain.store(false, ordering: .relaxed)
    }

    // MARK: The directory

    /// Makes the directory if it is not there; what it is in only the first time: later, that may be a volume that is not
    /// mounted.
    private func makeDirectory() throws {
        let isNew = table.withLock { table in
            defer { table.isDirectoryNew = false }
            return table.isDirectoryNew
        }
        guard try fileSystem.status(of: directory, followingLink: true) == nil else { return }
        if isNew {
            try WholeFile(path: WholeFile.join(directory, "file"), fileSystem: fileSystem).createDirectory()
            return
        }
        let parent = WholeFile.split(directory).directory
        guard try fileSystem.status(of: parent, followingLink: true)?.kind == .directory else {
            throw ReplicaProblem.missingDirectory(directory)
        }
        do throws(SystemError) {
            try fileSystem.createDirectory(directory)
        } catch {
            guard error.number == EEXIST else { throw error }
        }
    }

    /// The names of what may be replicas' files, ours first. Hidden ones are none, as the temporary files of most syncers
    /// are, and ours; but a placeholder for a file that is in the cloud is hidden, too.
    private func candidates() throws -> [String] {
        let names = try fileSystem.names(inDirectory: directory).filter { name in
            !name.hasPrefix(".") || Self.fileOfPlaceholder(name) != nil
        }
        let sorted = names.sorted { one, other in
            let (isOurs, isOtherOurs) = (ReplicaFileName.isLikely(one), ReplicaFileName.isLikely(other))
            return isOurs == isOtherOurs ? one < other : isOurs
        }
        let problem = ReplicaProblem.tooManyFiles(names.count)
        table.withLock { table in
            table.told.removeAll { if case .tooManyFiles = $0 { names.count <= Self.fileLimit } else { false } }
        }
        if names.count > Self.fileLimit { tell([problem], once: true) }
        return Array(sorted.prefix(Self.fileLimit))
    }

    /// Which file a placeholder of iCloud Drive stands for, `.NAME.icloud`.
    private static func fileOfPlaceholder(_ name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".icloud"), name.count > 8 else { return nil }
        return String(name.dropFirst().dropLast(7))
    }

    // MARK: Files

    /// Reads a file unless it is as it was.
    ///
    /// - Returns: what it is now, and what is in it if it was read; nil if there is no file.
    private func read(_ name: String, at path: String, known: SeenFile?) -> (SeenFile, ReplicaFile?)? {
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false) else { return nil }
            guard status.kind == .file else {
                return ReplicaFileName.isLikely(name) ? (SeenFile(status: status, content: .noFile), nil) : nil
            }
            if var known, known.status == status {
                known.isFresh = false
                return (known, nil)
            }
            if Self.fileOfPlaceholder(name) != nil { return (SeenFile(status: status, content: .placeholder), nil) }
            return try read(path, status, told: known?.told ?? [])
        } catch {
            if error.number == ENOENT { return nil }
            return (SeenFile(status: nil, content: .unreadable(error), told: known?.told ?? []), nil)
        }
    }

    private func read(
        _ path: String, _ status: FileStatus, told: [ReplicaProblem]
    ) throws(SystemError) -> (SeenFile, ReplicaFile?)? {
        let file = try fileSystem.openForReading(path)
        defer { fileSystem.close(file) }
        let opened = try fileSystem.status(of: file)
        // It was another a moment ago, and may be a FIFO by now.
        guard opened.kind == .file else { return nil }
        let beginning = try fileSystem.read(64, of: file, at: 0)
        guard ReplicaFileReader.canBegin(beginning) else { return (SeenFile(status: opened, content: .foreign), nil) }
        guard opened.size <= options.sizeLimit else {
            return (SeenFile(status: opened, content: .tooLarge, told: told), nil)
        }
        let bytes = try fileSystem.read(Int(opened.size), of: file, at: 0)
        // While somebody writes it in place, what was read is good, but not all.
        let isSettled = try fileSystem.status(of: file) == opened && opened == status
        var seen = SeenFile(status: isSettled ? opened : nil, content: .foreign, told: told)
        switch bytes.withUnsafeBufferPointer(ReplicaFileReader.read) {
        case .foreign: return (seen, nil)
        case .newerVersion(let version):
            seen.content = .newerVersion(version)
            return (seen, nil)
        case .file(let replicaFile):
            seen.content = .replica(
                .init(
                    header: replicaFile.header, recordCount: replicaFile.records.count,
                    damagedLines: replicaFile.damagedLines, isComplete: replicaFile.isComplete))
            return (seen, replicaFile)
        }
    }

    /// The records of every replica's file that is there; nil if one cannot be read as a whole.
    func readAllRecords() throws -> [SharedRecord]? {
        var records: [SharedRecord] = []
        for name in try candidates() {
            guard let (seen, file) = read(name, at: WholeFile.join(directory, name), known: nil) else { continue }
            switch seen.content {
            case .foreign, .noFile: continue
            case .tooLarge, .newerVersion, .placeholder, .unreadable: return nil
            case .replica(let summary):
                guard summary.isComplete, seen.status != nil, let file else { return nil }
                records += file.records
            }
        }
        return records
    }
}

/// The names of replicas' files. Nothing depends on them, as syncers rename files, but that ours is not in the way of
/// others.
enum ReplicaFileName {
    private static let beginning = "Settings-"
    private static let ending = ".jsonl"

    static func isLikely(_ name: String) -> Bool { name.hasPrefix(beginning) }

    /// - Parameter attempt: 1 for the usual name, more where others were taken.
    static func name(of replica: ReplicaID, attempt: Int) -> String {
        beginning + replica.description + (attempt == 1 ? "" : "-\(attempt)") + ending
    }
}

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
        var isUnsettled = false
        for name in names {
            guard let found = read(name, known: known[name]) else {
                note(nil, named: name)
                continue
            }
            var seen = found.seen
            if let file = found.file {
                var summary = try takeOver(file, name)
                if isOwn(file, named: name) { summary.contents = PartContents(file.records) }
                seen.content = .replica(summary)
            }
            isUnsettled = isUnsettled || seen.isFresh && seen.summary?.isComplete == false
            note(seen, named: name)
        }
        let present = Set(names)
        for name in known.keys where !present.contains(name) { note(nil, named: name) }
        if table.withLock({ $0.isExaminationDue }) { examineOwnFiles() }
        isUnsettled = isUnsettled || missingParts.contains(where: \.isFresh)
        try correctClock()
        try collectTombstones()
        tellProblems()
        if isUnsettled { lookAgain(after: .seconds(1)) }
        hasLookedInVain.store(false, ordering: .relaxed)
    }

    /// Takes note of how a file was found; nil if it is not there.
    private func note(_ seen: SeenFile?, named name: String) {
        let isOwn = ReplicaFileName.isLikely(name, of: tracker.memory.replica)
        table.withLock { table in
            let old = table.files[name]
            table.files[name] = seen
            if isOwn, seen?.status != old?.status || seen?.status == nil { table.isExaminationDue = true }
        }
    }

    // MARK: The directory

    /// Makes the directory if it is not there; what it is in only the first time: later, that may be a volume that is not
    /// mounted.
    private func makeDirectory() throws {
        let isThere = try fileSystem.status(of: directory, followingLink: true) != nil
        let isNew = table.withLock { $0.isDirectoryNew }
        if !isThere, isNew {
            try WholeFile(path: WholeFile.join(directory, "file"), fileSystem: fileSystem).createDirectory()
        }
        if isNew { table.withLock { $0.isDirectoryNew = false } }
        if isThere || isNew { return }
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

    /// The names of what may be replicas' files: the own ones first, then those named like ours.
    private func candidates() throws -> [String] {
        let own = tracker.memory.replica
        let names = try fileSystem.names(inDirectory: directory).filter(ReplicaFileName.isPossible)
        let sorted = names.map { (rank: ReplicaFileName.rank(of: $0, own: own), name: $0) }.sorted { $0 < $1 }
        table.withLock { $0.surplus = names.count > Self.fileLimit ? .tooManyFiles(names.count) : nil }
        return sorted.prefix(Self.fileLimit).map(\.name)
    }

    // MARK: Files

    /// Reads a file unless it is as it was, and nothing in it is due.
    ///
    /// - Returns: what it is now, and what is in it if it was read; nil if there is no file.
    private func read(_ name: String, known: SeenFile?) -> (seen: SeenFile, file: ReplicaFile?)? {
        let path = WholeFile.join(directory, name)
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false) else { return nil }
            guard status.kind == .file else {
                return ReplicaFileName.isLikely(name) ? (SeenFile(status: status, content: .noFile), nil) : nil
            }
            if var known, known.status == status, known.summary?.due(by: now()) != true {
                known.isFresh = false
                return (known, nil)
            }
            if status.isDataless || ReplicaFileName.isPlaceholder(name) {
                return (SeenFile(status: status, content: .placeholder), nil)
            }
            return try read(path, status)
        } catch {
            if error.number == ENOENT { return nil }
            return (SeenFile(status: nil, content: .unreadable(error)), nil)
        }
    }

    private func read(
        _ path: String, _ status: FileStatus
    ) throws(SystemError) -> (seen: SeenFile, file: ReplicaFile?)? {
        let file = try fileSystem.openForReading(path)
        defer { fileSystem.close(file) }
        let opened = try fileSystem.status(of: file)
        // It was another a moment ago, and may be a FIFO by now.
        guard opened.kind == .file else { return nil }
        let beginning = try fileSystem.read(64, of: file, at: 0)
        guard ReplicaFileReader.canBegin(beginning) else { return (SeenFile(status: opened, content: .foreign), nil) }
        guard opened.size <= options.sizeLimit else {
            return (SeenFile(status: opened, content: .tooLarge), nil)
        }
        let bytes = try fileSystem.read(Int(opened.size), of: file, at: 0)
        // While somebody writes it in place, what was read is good, but not all.
        let isSettled = try fileSystem.status(of: file) == opened && opened == status
        var seen = SeenFile(status: isSettled ? opened : nil, content: .foreign)
        switch bytes.withUnsafeBufferPointer(ReplicaFileReader.read) {
        case .foreign: return (seen, nil)
        case .newerVersion(let version):
            seen.content = .newerVersion(version)
            return (seen, nil)
        case .file(let replicaFile):
            seen.content = .replica(SeenFile.Summary(of: replicaFile))
            return (seen, replicaFile)
        }
    }

    /// Goes through the records of every replica's file that is there.
    ///
    /// - Returns: whether all of the files could be read as a whole, and none is missing that belongs to one of them.
    func readAllRecords(_ body: (SharedRecord) -> Void) throws -> Bool {
        var isWhole = true
        var summaries: [String: SeenFile.Summary] = [:]
        for name in try candidates() {
            guard let (seen, file) = read(name, known: nil) else { continue }
            summaries[name] = seen.summary
            for record in file?.records ?? [] { body(record) }
            switch seen.content {
            case .foreign, .noFile: continue
            case .tooLarge, .newerVersion, .placeholder, .unreadable: isWhole = false
            case .replica(let summary): isWhole = isWhole && summary.isComplete && seen.status != nil
            }
        }
        return isWhole && ReplicaParts(summaries).isComplete
    }

    /// Whether one of the own files has a value under one of these names, current or superseded. Reads all of them.
    ///
    /// An export with ``Table/mustCompact`` set leaves no superseded value.
    func ownFilesHaveValue(underOneOf names: Set<String>) -> Bool {
        for file in ownFiles() ?? [] {
            let records = read(file.name, known: nil)?.file?.records ?? []
            if records.contains(where: { !$0.entry.isTombstone && names.contains($0.name) }) { return true }
        }
        return false
    }
}

import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads the directory: finds new files, and adopts their contents.
extension ReplicatedDirectory {
    /// Reads the directory, and adopts changes. Unchanged files are not read again.
    ///
    /// - Throws: the system's errors for the directory or the local state. An unreadable file does not keep the others from being
    ///   read.
    /// - Returns: the files that wait for a part.
    @discardableResult
    func read() throws -> [MissingPart] {
        dropInherited()
        try requireOwnDirectory()
        try makeDirectory()
        let names = try candidates()
        let reversals = tracker.reversals
        let known = table.withLock { table in
            // The state has lost the adopted changes, so all files are read again.
            if table.reversals != reversals { table.files = [:] }
            table.reversals = reversals
            return table.files
        }
        let present = Set(names)
        for name in known.keys where !present.contains(name) { record(nil, named: name) }
        // The times of a removed file no longer count.
        joinAcceptedTimes()
        var isUnsettled = false
        for name in names {
            let seen = try readFile(at: name, known: known[name])
            isUnsettled = isUnsettled || seen.map { $0.isFresh && $0.summary?.isComplete == false } ?? false
        }
        requestDownloads()
        joinAcceptedTimes()
        try readDue()
        if table.withLock({ $0.isExaminationDue }) { examineOwnFiles() }
        try updateMemory()
        try collectTombstones()
        let missingParts = missingParts
        diagnoseProblems(missingParts)
        isUnsettled = isUnsettled || missingParts.contains(where: \.isFresh)
        if isUnsettled, isWatching { monitor.poll(after: DirectoryTimings.arrivalPause) }
        monitor.recordSuccess()
        return missingParts
    }

    /// Reads a file if it has changed, and adopts its contents.
    @discardableResult
    private func readFile(at name: String, known: SeenFile?) throws -> SeenFile? {
        guard let found = read(name, known: known) else {
            record(nil, named: name)
            return nil
        }
        var seen = found.seen
        if let file = found.file { seen.content = .replica(try adopt(file, name)) }
        record(seen, named: name)
        return seen
    }

    /// Reads files again whose held-back records are now accepted. A file that was read later can vouch for records in an earlier
    /// one.
    private func readDue() throws {
        // Each round reads the due files, so there are at most as many rounds as files.
        for _ in 0..<DirectoryLimits.files {
            let now = now()
            let accepted = accepted(now: now)
            let due = table.withLock { $0.files.filter { $0.value.summary?.isDue(now, accepted) == true } }
            if due.isEmpty { return }
            for (name, known) in due { try readFile(at: name, known: known) }
        }
    }

    /// Records the state of a file. Nil if it is missing.
    private func record(_ seen: SeenFile?, named name: String) {
        let isOwn = ReplicaFileName.isLikely(name, of: tracker.memory.replica)
        let (now, last, accepted) = (now(), tracker.lastEpoch, seen?.summary?.header?.accepted)
        table.withLock { table in
            let old = table.files[name]
            table.files[name] = seen
            if let accepted, !accepted.isEmpty { table.accepted.join(accepted, now: now, last: last) }
            if isOwn, seen?.status != old?.status || seen?.status == nil { table.isExaminationDue = true }
        }
    }

    /// Asks the cloud for replicas' files that are not on the device. They are read when they have arrived.
    private func requestDownloads() {
        let due = table.withLock { table in
            let pending = table.files.filter { if case .placeholder = $0.value.content { true } else { false } }.map(
                \.key)
            return table.downloads.nextDue(among: pending, at: .now)
        }
        for name in due { fileSystem.requestDownload(of: WholeFile.join(directory, name)) }
    }

    // MARK: The directory

    /// Creates the directory if it is missing, unless it is only read. Creates its parents for a new state only: later, a missing
    /// parent can be an unmounted volume.
    private func makeDirectory() throws {
        let isThere = try fileSystem.status(of: directory, followingLink: true) != nil
        if isReadOnly {
            if isThere { return }
            throw SystemError(call: "open", path: directory, number: ENOENT)
        }
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

    /// Returns the names of possible replicas' files: own files first, then those with a usual name.
    private func candidates() throws -> [String] {
        let names = ReplicaFileName.candidates(
            among: try fileSystem.names(inDirectory: directory), own: tracker.memory.replica)
        table.withLock { $0.surplus = names.count > DirectoryLimits.files ? .tooManyFiles(names.count) : nil }
        return Array(names.prefix(DirectoryLimits.files))
    }

    // MARK: Files

    /// Reads a file, unless it is unchanged and none of its records is due.
    ///
    /// - Returns: the file's current state, and its contents if it was read. Nil if there is no file.
    private func read(_ name: String, known: SeenFile?) -> (seen: SeenFile, file: ReplicaFile?)? {
        SeenFile.read(name, in: directory, fileSystem, sizeLimit: options.sizeLimit) { status in
            guard let known, known.status == status, !isDue(known) else { return nil }
            return known
        }
    }

    /// Reads all files, and calls `body` with the name of each replica's file and each of its records.
    ///
    /// - Returns: whether all files could be read completely, and no part is missing.
    func readAllRecords(_ body: (String, SharedRecord) -> Void) throws -> Bool {
        var isWhole = true
        var summaries: [String: SeenFile.Summary] = [:]
        for name in try candidates() {
            guard let (seen, file) = read(name, known: nil) else { continue }
            summaries[name] = seen.summary
            for record in file?.records ?? [] { body(name, record) }
            switch seen.content {
            case .noFile: continue
            // A file with the name of a replica's file may have been one.
            case .foreign: isWhole = isWhole && !ReplicaFileName.isLikely(name)
            case .tooLarge, .newerVersion, .placeholder, .unreadable: isWhole = false
            case .replica(let summary): isWhole = isWhole && summary.isComplete && seen.status != nil
            }
        }
        return isWhole && ReplicaParts(summaries).isComplete(since: leastWritten)
            && table.withLock { $0.surplus == nil }
    }
}

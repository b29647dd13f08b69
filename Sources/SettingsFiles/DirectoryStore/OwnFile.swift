import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One of the files into which the replica writes what it knows, as it was found last.
struct OwnFile: Sendable {
    /// 0 for the head.
    let part: Int
    /// The name that is its own, or free.
    let name: String
    /// Nil if there is no file.
    let seen: SeenFile?
    /// The first line; nil if the file is not there, not intact, or not this replica's or part's.
    let header: ReplicaHeader?
    /// What the file has; nil if ``header`` is.
    let contents: PartContents?

    init(part: Int, name: String, seen: SeenFile?, own: ReplicaID) {
        self.part = part
        self.name = name
        self.seen = seen
        if let seen, seen.status != nil, let summary = seen.summary, summary.isComplete, let header = summary.header,
            header.replica == own, header.part == part, let contents = summary.contents
        {
            self.header = header
            self.contents = contents
        } else {
            header = nil
            contents = nil
        }
    }
}

extension ReplicatedDirectory {
    /// What the own files were found to have.
    struct Exported: Sendable {
        var replica: ReplicaID
        /// Up to which of its own changes the files have all that the replica knows.
        var changes: ReplicaTracker.Changes
        /// When the head was written, in milliseconds since 1970.
        var written: Int64
    }

    /// The own files of all parts that there can be, the head first; nil if there is no free name for one of them.
    func ownFiles() -> [OwnFile]? {
        let (own, files) = (tracker.memory.replica, table.withLock { $0.files })
        var result: [OwnFile] = []
        for part in 0...PartPlan.last {
            guard let name = Self.ownFileName(part: part, of: own, in: files) else { return nil }
            result.append(OwnFile(part: part, name: name, seen: files[name], own: own))
        }
        return result
    }

    /// The name of one of the replica's files: the first one that is free, or has it. Nil if there is none.
    func ownFileName(part: Int = 0) -> String? {
        Self.ownFileName(part: part, of: tracker.memory.replica, in: table.withLock { $0.files })
    }

    /// A file that is not a replica's file, but has a name with our ID in it, was ours, and was destroyed.
    private static func ownFileName(part: Int, of own: ReplicaID, in files: [String: SeenFile]) -> String? {
        (1...100).lazy.map { ReplicaFileName.name(of: own, part: part, attempt: $0) }.first { name in
            switch files[name]?.content {
            case nil, .foreign: true
            case .replica(let summary): summary.header == nil || summary.header?.replica == own
            case .noFile, .tooLarge, .newerVersion, .placeholder, .unreadable: false
            }
        }
    }

    func wholeFile(named name: String) -> WholeFile {
        WholeFile(path: WholeFile.join(directory, name), fileSystem: fileSystem)
    }

    /// Whether a file is one of the replica's own, so that it is worth knowing what it has.
    func isOwn(_ file: ReplicaFile, named name: String) -> Bool {
        guard let header = file.header, header.replica == tracker.memory.replica else { return false }
        return name == ownFileName(part: header.part)
    }

    /// Finds out what the own files have. Linear time.
    func examineOwnFiles() {
        // First: what changes meanwhile is not counted.
        let changes = tracker.changes
        table.withLock { $0.isExaminationDue = false }
        let exported = exported(through: changes)
        table.withLock { $0.exported = exported }
    }

    /// - Returns: nil if something is missing that the replica has to tell others, or a part is not the one that the head lists.
    private func exported(through changes: ReplicaTracker.Changes) -> Exported? {
        let memory = tracker.memory
        guard let files = ownFiles(), let head = files[0].header, head.accepted == memory.accepted,
            head.heard.covers(memory.heard)
        else { return nil }
        for file in files.dropFirst() {
            let listed = file.part <= head.parts.count ? head.parts[file.part - 1] : nil
            guard (file.seen == nil) == (file.header == nil), file.header?.serial == listed else { return nil }
        }
        let contents = files.compactMap(\.contents)
        for entry in entries() where SharedEntry.stamp(in: entry.bytes)?.replica == memory.replica {
            guard contents.contains(where: { $0.contains(entry.fingerprint) }) else { return nil }
        }
        return Exported(replica: memory.replica, changes: changes, written: head.written)
    }

    /// An entry as the local state has it.
    struct StoredEntry {
        var name: String
        var bytes: Data
        var fingerprint: UInt64

        /// Nil for what is not an entry.
        var record: SharedRecord? { SharedEntry(bytes).map { SharedRecord(name: name, entry: $0) } }
    }

    /// All that is known, as the local state has it. Linear time.
    func entries() -> [StoredEntry] {
        let contents = list.contents.withLock { $0 }
        return contents.names.compactMap { name in
            guard SettingsService.StorageKey.isValid(name), let bytes = contents.data(named: name),
                SharedEntry.stamp(in: bytes) != nil
            else { return nil }
            return StoredEntry(name: name, bytes: bytes, fingerprint: PartContents.fingerprint(of: name, bytes))
        }
    }
}

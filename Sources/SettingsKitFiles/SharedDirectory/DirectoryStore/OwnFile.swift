import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One of the replica's own files, at the last reading.
struct OwnFile: Sendable {
    /// The number of the part: 0 for the head.
    let part: Int
    /// The file's name, or a free name for it.
    let name: String
    /// The file found at the last reading. Nil if there is none.
    let seen: SeenFile?
    /// The first line. Nil if the file is missing or damaged, or belongs to another replica or part.
    let header: ReplicaHeader?
    /// The entries in the file. Nil if ``header`` is nil.
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
    /// The contents of the replica's own files.
    struct Exported: Sendable {
        var replica: ReplicaID
        /// The count of changes up to which the files are complete.
        var changes: ReplicaTracker.Changes
        /// When the head was written, in milliseconds since 1970.
        var written: Int64
    }

    /// Returns the own files for all possible parts, the head first. Nil if one of them has no free name.
    func ownFiles() -> [OwnFile]? {
        let (own, files) = (tracker.memory.replica, table.withLock { $0.files })
        var result: [OwnFile] = []
        for part in 0...DirectoryLimits.lastPart {
            guard let name = Self.ownFileName(part: part, of: own, in: files) else { return nil }
            result.append(OwnFile(part: part, name: name, seen: files[name], own: own))
        }
        return result
    }

    /// Returns the name of one of the replica's files: the first name that is free or already has the file. Nil if
    /// there is none.
    func ownFileName(part: Int = 0) -> String? {
        Self.ownFileName(part: part, of: tracker.memory.replica, in: table.withLock { $0.files })
    }

    /// A file that is not a replica's file but has this replica's ID in its name counts as its own, damaged file.
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

    /// Whether a file is one of the replica's own, whose contents must be known.
    func isOwn(_ file: ReplicaFile, named name: String) -> Bool {
        guard let header = file.header, header.replica == tracker.memory.replica else { return false }
        return name == ownFileName(part: header.part)
    }

    /// Determines the contents of the own files. Linear time.
    func examineOwnFiles() {
        // Read before the files are examined, so that changes in the meantime count as not exported.
        let changes = tracker.changes
        table.withLock { $0.isExaminationDue = false }
        let exported = exported(through: changes)
        table.withLock { $0.exported = exported }
    }

    /// - Returns: nil if the files lack something, or a part is not the one that the head lists.
    private func exported(through changes: ReplicaTracker.Changes) -> Exported? {
        let memory = tracker.memory
        guard let files = ownFiles(), let head = files[0].header, head.accepted == memory.accepted,
            // Moments can also be lowered, so later ones in a file are outdated, too.
            head.heard == memory.heard
        else { return nil }
        for file in files.dropFirst() {
            let listed = file.part <= head.parts.count ? head.parts[file.part - 1] : nil
            guard (file.seen == nil) == (file.header == nil), file.header?.serial == listed else { return nil }
        }
        guard isExported(in: files) else { return nil }
        return Exported(replica: memory.replica, changes: changes, written: head.written)
    }

    /// Whether own files have all of the replica's own changes.
    func isExported(in files: [OwnFile]) -> Bool {
        let (own, contents) = (tracker.memory.replica, files.compactMap(\.contents))
        return entries().allSatisfy { entry in
            SharedEntry.stamp(in: entry.bytes)?.replica != own || contents.contains { $0.contains(entry.fingerprint) }
        }
    }

    /// An entry in the form of the local state.
    struct StoredEntry {
        var name: String
        var bytes: Data
        var fingerprint: UInt64

        /// The decoded entry. Nil if the bytes are not an entry.
        var record: SharedRecord? { SharedEntry(bytes).map { SharedRecord(name: name, entry: $0) } }
    }

    /// Returns all entries in the form of the local state. Linear time.
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

import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// The replicas' files in the shared directory, at the last reading.
///
/// If two threads read the directory at the same time, both do the same work, which is harmless because merging is idempotent.
final class SeenFiles: Sendable {
    private struct Table {
        var files: [String: SeenFile] = [:]
        /// The problem of too many files. Nil if all are read.
        var surplus: ReplicaProblem?
        /// Whether an own file has changed since ``SeenFiles/takeOwnChange()``.
        var isOwnChanged = false
        var downloads = DownloadRequests()
        /// The number of reversals of the state when the files were read; see ``ReplicaTracker/reversals``.
        var reversals = 0
    }

    /// The path of the directory.
    let directory: String
    private let fileSystem: any FileSystem
    private let sizeLimit: Int
    private let state: ReplicaState
    private let table = Mutex(Table(), .leaf)

    init(in directory: String, fileSystem: any FileSystem, sizeLimit: Int, state: ReplicaState) {
        (self.directory, self.fileSystem, self.sizeLimit, self.state) = (directory, fileSystem, sizeLimit, state)
    }

    // MARK: What was seen

    /// The files, by name.
    var files: [String: SeenFile] { table.withLock { $0.files } }

    /// The summaries of the replicas' files, by name.
    var summaries: [String: SeenFile.Summary] { files.compactMapValues(\.summary) }

    /// The problem of too many files. Nil if all are read.
    var surplus: ReplicaProblem? { table.withLock { $0.surplus } }

    /// Returns the times up to which entries are accepted at a time: those that the replica vouches for, and those of the files in
    /// the directory.
    ///
    /// - Parameter new: The first line of a file that is being read.
    func accepted(now: Int64, with new: ReplicaHeader? = nil) -> AcceptedTimes {
        var accepted = state.memory.accepted
        let lastEpoch = state.lastEpoch
        if let new { accepted.join(new.accepted, now: now, last: lastEpoch) }
        table.withLock { table in
            for file in table.files.values {
                guard case .replica(let summary) = file.content, let header = summary.header, !header.accepted.isEmpty
                else { continue }
                accepted.join(header.accepted, now: now, last: lastEpoch)
            }
        }
        return accepted
    }

    /// Whether no file has changed and no record that was held back is accepted now. Waits only for the directory.
    var isUnchanged: Bool {
        let now = state.now()
        let accepted = accepted(now: now)
        do throws(SystemError) {
            for (name, file) in files {
                guard let known = file.status, !file.isFresh, file.summary?.isDue(now, accepted) != true,
                    try fileSystem.status(of: WholeFile.join(directory, name), followingLink: false) == known
                else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Own files

    func wholeFile(named name: String) -> WholeFile {
        WholeFile(path: WholeFile.join(directory, name), fileSystem: fileSystem)
    }

    /// Returns the name of one of the replica's files: the first name that is free or already has the file. Nil if
    /// there is none.
    func ownName(part: Int = 0) -> String? { Self.ownName(part: part, of: state.memory.replica, in: files) }

    /// Returns the own files for all possible parts, the head first. Nil if one of them has no free name.
    var ownFiles: [OwnFile]? {
        let (own, files) = (state.memory.replica, files)
        var result: [OwnFile] = []
        for part in 0...DirectoryLimits.lastPart {
            guard let name = Self.ownName(part: part, of: own, in: files) else { return nil }
            result.append(OwnFile(part: part, name: name, seen: files[name], own: own))
        }
        return result
    }

    /// A file that is not a replica's file but has this replica's ID in its name counts as its own, damaged file.
    private static func ownName(part: Int, of own: ReplicaID, in files: [String: SeenFile]) -> String? {
        (1...100).lazy.map { ReplicaFileName.name(of: own, part: part, attempt: $0) }.first { name in
            switch files[name]?.content {
            case nil, .foreign: true
            case .replica(let summary): summary.header == nil || summary.header?.replica == own
            case .noFile, .tooLarge, .newerVersion, .placeholder, .unreadable: false
            }
        }
    }

    /// Returns whether an own file has changed since the last call, other than by ``replace(_:)``.
    func takeOwnChange() -> Bool {
        table.withLock { table in
            defer { table.isOwnChanged = false }
            return table.isOwnChanged
        }
    }

    /// Records own files that this process has put in place.
    func replace(_ files: [(name: String, seen: SeenFile)]) {
        table.withLock { table in for (name, seen) in files { table.files[name] = seen } }
    }

    // MARK: Reading

    /// Adopts a file's records, and completes its summary.
    typealias Adoption = (_ file: ReplicaFile, _ name: String, inout SeenFile.Summary) throws -> Void

    /// Reads new and changed files, and those with held-back records that are accepted now.
    ///
    /// - Throws: the system's errors for the directory, and the errors of `adopt`. An unreadable file does not keep the others
    ///   from being read.
    func read(adopt: Adoption) throws {
        let names = try candidates()
        let reversals = state.reversals
        let known = table.withLock { table in
            // The state has lost the adopted changes, so all files are read again.
            if table.reversals != reversals { table.files = [:] }
            table.reversals = reversals
            return table.files
        }
        let present = Set(names)
        for name in known.keys where !present.contains(name) { record(nil, named: name) }
        for name in names { try readFile(at: name, known: known[name], adopt) }
        requestDownloads()
        try readDue(adopt)
    }

    /// Reads a file if it has changed, and adopts its contents.
    private func readFile(at name: String, known: SeenFile?, _ adopt: Adoption) throws {
        guard var found = look(at: name, known: known) else { return record(nil, named: name) }
        if let file = found.file, var summary = found.seen.summary {
            try adopt(file, name, &summary)
            found.seen.content = .replica(summary)
        }
        record(found.seen, named: name)
    }

    /// Reads files again whose held-back records are now accepted. A file that was read later can vouch for records in an earlier
    /// one.
    private func readDue(_ adopt: Adoption) throws {
        // Each round reads the due files, so there are at most as many rounds as files.
        for _ in 0..<DirectoryLimits.files {
            let now = state.now()
            let accepted = accepted(now: now)
            let due = files.filter { $0.value.summary?.isDue(now, accepted) == true }
            if due.isEmpty { return }
            for (name, known) in due { try readFile(at: name, known: known, adopt) }
        }
    }

    /// Records the state of a file. Nil if it is missing.
    private func record(_ seen: SeenFile?, named name: String) {
        let isOwn = ReplicaFileName.isLikely(name, of: state.memory.replica)
        table.withLock { table in
            let old = table.files[name]
            table.files[name] = seen
            if isOwn, seen?.status != old?.status || seen?.status == nil { table.isOwnChanged = true }
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

    /// Returns the names of possible replicas' files: own files first, then those with a usual name.
    private func candidates() throws -> [String] {
        let names = ReplicaFileName.candidates(
            among: try fileSystem.names(inDirectory: directory), own: state.memory.replica)
        table.withLock { $0.surplus = names.count > DirectoryLimits.files ? .tooManyFiles(names.count) : nil }
        return Array(names.prefix(DirectoryLimits.files))
    }

    /// Reads a file, unless it is unchanged and none of its records is due.
    ///
    /// - Returns: the file's current state, and its contents if it was read. Nil if there is no file.
    private func look(at name: String, known: SeenFile?) -> (seen: SeenFile, file: ReplicaFile?)? {
        SeenFile.read(name, in: directory, fileSystem, sizeLimit: sizeLimit) { status in
            guard let known, known.status == status else { return nil }
            if let summary = known.summary, summary.heldBackCount > 0 {
                let now = state.now()
                if summary.isDue(now, accepted(now: now)) { return nil }
            }
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
            guard let (seen, file) = look(at: name, known: nil) else { continue }
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
        return isWhole && ReplicaParts(summaries).isComplete(since: state.leastWritten) && surplus == nil
    }
}

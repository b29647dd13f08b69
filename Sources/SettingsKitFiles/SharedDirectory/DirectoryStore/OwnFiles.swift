import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// The replica's own files in the directory: what they lack, and when they are safe.
final class OwnFiles: Sendable {
    /// The data that the files lack.
    enum Need {
        case nothing
        /// Only the heard moments of other replicas, which are not urgent.
        case heardMoments
        case changes
    }

    /// The contents of the files.
    struct Exported: Sendable {
        var replica: ReplicaID
        /// The count of changes up to which the files are complete.
        var changes: ReplicaTracker.Changes
        /// When the head was written, in milliseconds since 1970.
        var written: Int64
    }

    private struct Table {
        /// The contents of the files. Nil if they are incomplete.
        var exported: Exported?
        /// The status of the head that certainly survives a power failure.
        var durableStatus: FileStatus?
        /// Whether the files must be written again, because they could not be flushed.
        var mustRewrite = false
        /// Whether the next export must write all records into one part, so that no superseded record stays in another.
        var mustCompact = false
        /// Whether temporary files were removed.
        var hasCleanedUp = false
    }

    private let state: ReplicaState
    private let seenFiles: SeenFiles
    private let table = Mutex(Table(), .leaf)

    init(of state: ReplicaState, in seenFiles: SeenFiles) {
        (self.state, self.seenFiles) = (state, seenFiles)
    }

    // MARK: What is missing

    /// The data that the files lack. Constant time.
    var need: Need {
        let (mustWrite, exported) = table.withLock { ($0.mustCompact || $0.mustRewrite, $0.exported) }
        guard !mustWrite, let exported, exported.replica == state.memory.replica else { return .changes }
        let (now, changes) = (state.now(), state.changes)
        if exported.written < now - DirectoryTimings.longestSilence || HybridClock.isAhead(exported.written, of: now) {
            return .changes
        }
        if exported.changes == changes { return .nothing }
        return exported.changes.others == changes.others ? .heardMoments : .changes
    }

    /// Determines what the files contain, if one of them has changed. Linear time.
    func examine() {
        // Read before the files are examined, so that changes in the meantime count as not exported.
        let changes = state.changes
        guard seenFiles.takeOwnChange() else { return }
        let exported = exported(through: changes)
        table.withLock { $0.exported = exported }
    }

    /// - Returns: nil if the files lack something, or a part is not the one that the head lists.
    private func exported(through changes: ReplicaTracker.Changes) -> Exported? {
        let memory = state.memory
        guard let files = seenFiles.ownFiles, let head = files[0].header, head.accepted == memory.accepted,
            // Moments can also be lowered, so later ones in a file are outdated, too.
            head.heard == memory.heard
        else { return nil }
        for file in files.dropFirst() {
            let listed = file.part <= head.parts.count ? head.parts[file.part - 1] : nil
            guard (file.seen == nil) == (file.header == nil), file.header?.serial == listed else { return nil }
        }
        guard haveAllChanges(files) else { return nil }
        return Exported(replica: memory.replica, changes: changes, written: head.written)
    }

    /// Whether the files have all of the replica's own changes.
    private func haveAllChanges(_ files: [OwnFile]) -> Bool {
        let (own, contents) = (state.memory.replica, files.compactMap(\.contents))
        return state.contents.sharedEntries.allSatisfy { name, bytes in
            guard SharedEntry.stamp(in: bytes)?.replica == own else { return true }
            let fingerprint = PartContents.fingerprint(of: name, bytes)
            return contents.contains { $0.contains(fingerprint) }
        }
    }

    /// Whether the files must be written. A replica that only reads writes none, but another process may.
    var mustBeWritten: Bool { state.isReadOnly ? !haveAllChanges(seenFiles.ownFiles ?? []) : need != .nothing }

    // MARK: Compacting

    /// Makes the next export write all records into one part, if a setting in some file has one of these names.
    func compact(ifIn files: some Sequence<String>) {
        let files = Set(files)
        let own = seenFiles.ownFiles ?? []
        if own.contains(where: { $0.seen != nil && files.contains($0.name) }) { compact() }
    }

    /// Makes the next export write all records into one part.
    func compact() { table.withLock { $0.mustCompact = true } }

    /// Whether the next export must write all records into one part.
    var mustCompact: Bool { table.withLock { $0.mustCompact } }

    // MARK: After an export

    /// Records what the files contain after an export.
    func record(_ exported: Exported, hasCompacted: Bool) {
        table.withLock { table in
            table.exported = exported
            if hasCompacted { table.mustCompact = false }
            table.mustRewrite = false
        }
    }

    /// Returns when the files survive a power failure, even if another process has replaced them.
    func synchronize() throws {
        guard let name = seenFiles.ownName() else { return }
        guard let status = seenFiles.files[name]?.status, status != table.withLock({ $0.durableStatus }) else {
            return
        }
        do throws(SystemError) {
            try seenFiles.wholeFile(named: name).synchronizeDirectory()
        } catch {
            // A second flush can succeed although the first one has lost data, so the files are written again.
            table.withLock { $0.mustRewrite = true }
            throw error
        }
        table.withLock { $0.durableStatus = status }
    }

    /// Removes temporary files of dead processes, once.
    func removeTemporaries() {
        let isDone = table.withLock { table in
            defer { table.hasCleanedUp = true }
            return table.hasCleanedUp
        }
        if isDone { return }
        do throws(SystemError) {
            // Removed only after an hour: a syncer can bring temporary files of other devices.
            for name in seenFiles.files.keys where ReplicaFileName.isLikely(name, of: state.memory.replica) {
                try seenFiles.wholeFile(named: name).removeTemporaries(.unlockedForAnHour)
            }
        } catch {
            // Temporary files are never read, and the next process tries again.
        }
    }
}

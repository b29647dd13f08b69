import SettingsKitCore
import SettingsKitPlatform

/// Writes the replica's files.
extension ReplicatedDirectory {
    /// The data that the replica's files in the directory lack.
    enum ExportNeed {
        case nothing
        /// Only the heard moments of other replicas, which are not urgent.
        case heardMoments
        case changes
    }

    /// The data that the replica's files in the directory lack. Constant time.
    var exportNeed: ExportNeed {
        let (mustWrite, exported) = table.withLock { ($0.mustCompact || $0.mustRewrite, $0.exported) }
        guard !mustWrite, let exported, exported.replica == tracker.memory.replica else { return .changes }
        let (now, changes) = (now(), tracker.changes)
        if exported.written < now - DirectoryTimings.longestSilence || HybridClock.isAhead(exported.written, of: now) {
            return .changes
        }
        if exported.changes == changes { return .nothing }
        return exported.changes.others == changes.others ? .heardMoments : .changes
    }

    /// Reads the directory, and writes the replica's files if they lack data.
    ///
    /// - Parameter always: Whether to write them even if they are complete.
    func export(always: Bool) throws {
        // The end of the process exports pending changes, even if no export was scheduled.
        if isReadOnly { return }
        do {
            try read()
            guard always || exportNeed != .nothing else { return }
            try ReplicaExport(directory: self).publish()
        } catch {
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
    }

    /// Reads the files of other devices, and writes nothing.
    private func readNow() throws {
        try list.synchronize(isReadOnly: true)
        do {
            try read()
        } catch {
            throw SettingsError.wrap(error, as: .readFailed, store: list.description)
        }
    }

    /// Exports missing data, and flushes the directory and the local state to the disk.
    func synchronize() throws {
        if isReadOnly { return try readNow() }
        try writePending(waiting: list.patience)
        do {
            try export(always: false)
            try ReplicaExport(directory: self).synchronize()
        } catch {
            try list.synchronize()
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
        try list.synchronize()
    }
}

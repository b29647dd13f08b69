import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the replica's files.
extension ReplicatedDirectory {
    /// The time, in milliseconds, after which the head is written without a change, to show that the device is in use.
    private static var longestSilence: Int64 { 86_400_000 }
    /// How often an export starts again because the present files have changed meanwhile, before it fails.
    private static var attemptLimit: Int { 20 }

    /// Whether the replica's files in the directory lack something. Constant time.
    var needsExport: Bool {
        let (isDemanded, exported) = table.withLock { ($0.mustExport || $0.mustCompact, $0.exported) }
        guard !isDemanded, let exported, exported.replica == tracker.memory.replica else { return true }
        let now = now()
        return exported.changes != tracker.changes || exported.written < now - Self.longestSilence
            || HybridClock.isAhead(exported.written, of: now)
    }

    /// Whether the replica's files lack nothing but heard moments.
    var isOnlyHearingUnexported: Bool {
        let (isDemanded, exported) = table.withLock { ($0.mustExport || $0.mustCompact, $0.exported) }
        guard !isDemanded, let exported else { return false }
        let changes = tracker.changes
        return changes.heard != exported.changes.heard && changes.others == exported.changes.others
    }

    /// Reads the directory, and writes the replica's files if they lack something.
    ///
    /// - Parameter always: Whether to write them even if they lack nothing.
    func export(always: Bool) throws {
        do {
            try look()
            guard always || needsExport else { return }
            try write()
        } catch {
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
    }

    /// Exports what is missing, and flushes the directory and the local state to the disk.
    func synchronize() throws {
        do {
            try export(always: false)
            try synchronizeDirectory()
        } catch {
            try list.synchronize()
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
        try list.synchronize()
    }

    private func write() throws {
        for _ in 0..<Self.attemptLimit {
            guard let files = ownFiles() else { throw ReplicaProblem.noFreeName }
            let (own, changes) = (tracker.memory, tracker.changes)
            let isCompacting = table.withLock { $0.mustCompact }
            let entries = entries()
            // Others must not receive what a power failure here could undo: this replica would not know its own change.
            try list.synchronize()
            let new = try newFiles(entries, in: files, own, isCompacting: isCompacting)
            guard let statuses = try put(new, over: files) else {
                // Another process or thread has changed a file.
                try look()
                if !needsExport { return }
                continue
            }
            let seen = zip(new, statuses).map { SeenFile(status: $1, content: .replica($0.summary)) }
            table.withLock { table in
                for (file, seen) in zip(new, seen) { table.files[file.name] = seen }
                table.exported = new.last.map {
                    Exported(replica: own.replica, changes: changes, written: $0.header.written)
                }
                table.mustExport = false
                if isCompacting { table.mustCompact = false }
            }
            try synchronizeDirectory()
            cleanUp(new)
            return
        }
        throw SettingsError(.conflict, store: list.description)
    }

    /// A file that replaces an own one.
    private struct NewFile {
        let part: Int
        let name: String
        let header: ReplicaHeader
        let records: [SharedRecord]
        var bytes: [UInt8] { ReplicaFileWriter.bytes(header, records) }

        /// The summary of the file once it is in place.
        var summary: SeenFile.Summary {
            var summary = SeenFile.Summary(of: ReplicaFile(header: header, records: records))
            summary.contents = PartContents(records)
            return summary
        }
    }

    /// Returns the files of an export, in the order in which they are put in place: the head last.
    private func newFiles(
        _ entries: [StoredEntry], in files: [OwnFile], _ own: ReplicaMemory, isCompacting: Bool
    ) throws -> [NewFile] {
        let planned = entries.map { entry in
            PartPlan.Record(
                size: PartContents.size(of: entry.name, entry.bytes),
                part: files.last { $0.contents?.contains(entry.fingerprint) ?? false }?.part)
        }
        guard planned.reduce(0, { $0 + $1.size }) <= options.sizeLimit else { throw ReplicaProblem.tooMuch }
        var parts: [Int: Int?] = [:]
        for file in files.dropFirst() where file.seen != nil { parts[file.part] = .some(file.contents?.size) }
        let plan = PartPlan(
            records: planned, parts: parts, isCompacting: isCompacting, headLimit: options.headLimit)
        var header = ReplicaHeader(
            replica: own.replica, device: options.deviceName ?? DeviceName.own, written: now(), recordCount: 0)
        var serials = files.dropFirst().map { $0.header?.serial }
        return plan.files.map { file in
            header.part = file.part
            header.serial = nil
            if file.part > 0 {
                header.serial = .random(in: .min ... .max)
                serials[file.part - 1] = header.serial
            } else if let last = serials.lastIndex(where: { $0 != nil }) {
                header.parts = Array(serials[...last])
                header.total = entries.count
            }
            if file.part == 0 {
                header.accepted = own.accepted
                header.heard = own.heard
                header.unknownFields = own.unknownFields
            }
            let records = file.records.compactMap { entries[$0].record }.sorted { $0.name < $1.name }
            header.recordCount = records.count
            return NewFile(part: file.part, name: files[file.part].name, header: header, records: records)
        }
    }

    /// Sees to it that the own files survive a power failure, also if another process has put them in their places.
    private func synchronizeDirectory() throws {
        guard let name = ownFileName() else { return }
        let (status, durable) = table.withLock { ($0.files[name]?.status, $0.durableStatus) }
        guard let status, status != durable else { return }
        do throws(SystemError) {
            try wholeFile(named: name).synchronizeDirectory()
        } catch {
            // A second flush can succeed although the first one has lost data. So the files are written again.
            table.withLock { $0.mustExport = true }
            throw error
        }
        table.withLock { $0.durableStatus = status }
    }

    /// Replaces own files by new ones. Processes with one state take turns, by a separate lock: setting a value needs
    /// the state's lock, and must not wait for a network.
    ///
    /// If the process ends meanwhile, the old head stays, which lists parts that have been replaced. Readers use what
    /// is there, and the next export writes a new head.
    ///
    /// - Returns: the statuses of the new files. Nil if the own files have changed since they were read.
    private func put(_ new: [NewFile], over files: [OwnFile]) throws -> [FileStatus]? {
        var prepared: [(file: WholeFile, prepared: WholeFile.Prepared)] = []
        // Has no effect on files that are in place.
        defer { for (file, prepared) in prepared { file.discard(prepared) } }
        for new in new {
            let (file, bytes) = (wholeFile(named: new.name), new.bytes)
            guard bytes.count <= options.sizeLimit else { throw ReplicaProblem.tooMuch }
            prepared.append((file, try file.prepare(Data(bytes))))
        }
        let path = WholeFile.split(list.path).directory + "/Export.lock"
        let (lock, isNew) = try fileSystem.openOrCreate(path)
        defer { fileSystem.close(lock) }
        if isNew { try fileSystem.setPermissions(of: lock, like: nil, inDirectoryOf: path) }
        guard try fileSystem.lock(lock, waiting: list.patience) else {
            throw SettingsError(.busy, store: list.description)
        }
        for file in files where file.seen != nil || new.contains(where: { $0.part == file.part }) {
            guard try wholeFile(named: file.name).status() == file.seen?.status else { return nil }
        }
        var statuses: [FileStatus] = []
        for (new, (file, prepared)) in zip(new, prepared) {
            statuses.append(try file.put(prepared))
            // A power failure must not keep an emptied part and lose the part that got its records.
            if new.part > 0, !new.records.isEmpty { try file.synchronizeDirectory() }
        }
        return statuses
    }

    private func cleanUp(_ files: [NewFile]) {
        let isDone = table.withLock { table in
            defer { table.hasCleanedUp = true }
            return table.hasCleanedUp
        }
        if isDone { return }
        do throws(SystemError) {
            // Only those without a lock: a syncer can bring temporary files of other devices.
            for file in files { try wholeFile(named: file.name).removeTemporaries(.unlockedForAnHour) }
        } catch {
            // Temporary files are never read, and the next process tries again.
        }
    }
}

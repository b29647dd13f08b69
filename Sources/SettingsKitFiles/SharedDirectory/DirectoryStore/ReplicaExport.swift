import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One export: replaces the replica's files in the directory by files with the current records.
///
/// Processes with the same state take turns, by a separate lock: setting a value needs the state's lock, and must not wait for a
/// network. If the process dies between two files, the old head stays, which lists parts that were replaced. Readers use the
/// existing files, and the next export writes a new head.
struct ReplicaExport: FilePublication {
    let directory: ReplicatedDirectory

    struct Plan {
        let present: [OwnFile]
        let new: [NewFile]
        let replica: ReplicaID
        let changes: ReplicaTracker.Changes
        let isCompacting: Bool
    }

    var store: String { directory.list.description }

    func plan(isRetry: Bool) throws -> Plan? {
        if isRetry {
            // Another process or thread has changed a file.
            try directory.read()
            if directory.exportNeed == .nothing { return nil }
        }
        guard let files = directory.ownFiles() else { throw ReplicaProblem.noFreeName }
        let (own, changes) = (directory.tracker.memory, directory.tracker.changes)
        let isCompacting = directory.table.withLock { $0.mustCompact }
        let entries = directory.entries()
        // Other devices must not receive a change that a power failure here could undo: this replica would not recognize it.
        try directory.list.flushJournal()
        return Plan(
            present: files, new: try newFiles(entries, in: files, own, isCompacting: isCompacting),
            replica: own.replica, changes: changes, isCompacting: isCompacting)
    }

    /// A file that replaces an own one.
    struct NewFile {
        let part: Int
        let name: String
        let header: ReplicaHeader
        let records: [SharedRecord]
        var bytes: [UInt8] { ReplicaFileWriter.bytes(header, records) }

        /// The summary of the file once it is in place.
        var summary: SeenFile.Summary {
            let file = ReplicaFile(header: header, records: records)
            var summary = SeenFile.Summary(of: file)
            summary.contents = PartContents(records)
            summary.recordLatest(of: file)
            return summary
        }
    }

    /// Returns the files of an export, in the order in which they are put in place: the head last.
    private func newFiles(
        _ entries: [ReplicatedDirectory.StoredEntry], in files: [OwnFile], _ own: ReplicaMemory, isCompacting: Bool
    ) throws -> [NewFile] {
        let planned = entries.map { entry in
            PartPlan.Record(
                size: PartContents.size(of: entry.name, entry.bytes),
                part: files.last { $0.contents?.contains(entry.fingerprint) ?? false }?.part)
        }
        guard planned.reduce(0, { $0 + $1.size }) <= directory.options.sizeLimit else { throw ReplicaProblem.tooMuch }
        var parts: [Int: Int?] = [:]
        for file in files.dropFirst() where file.seen != nil { parts[file.part] = .some(file.contents?.size) }
        let plan = PartPlan(
            records: planned, parts: parts, isCompacting: isCompacting, headLimit: directory.options.headLimit)
        var header = ReplicaHeader(
            replica: own.replica, device: directory.options.deviceName ?? DeviceName.own, written: directory.now(),
            recordCount: 0)
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

    func contents(of plan: Plan) throws -> [WholeFile.NewContents] {
        try plan.new.map { new in
            let bytes = new.bytes
            guard bytes.count <= directory.options.sizeLimit else { throw ReplicaProblem.tooMuch }
            return .init(of: directory.wholeFile(named: new.name), Data(bytes))
        }
    }

    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool {
        guard let statuses = try putLocked(prepared, plan) else { return false }
        let seen = zip(plan.new, statuses).map { SeenFile(status: $1, content: .replica($0.summary)) }
        directory.table.withLock { table in
            for (file, seen) in zip(plan.new, seen) { table.files[file.name] = seen }
            table.exported = plan.new.last.map {
                .init(replica: plan.replica, changes: plan.changes, written: $0.header.written)
            }
            if plan.isCompacting { table.mustCompact = false }
            table.mustRewrite = false
        }
        return true
    }

    /// - Returns: the statuses of the new files. Nil if the current files have changed since they were read.
    private func putLocked(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> [FileStatus]? {
        let fileSystem = directory.fileSystem
        let path = WholeFile.split(directory.list.path).directory + "/Export.lock"
        let (lock, isNew) = try fileSystem.openOrCreate(path)
        defer { fileSystem.close(lock) }
        if isNew { try fileSystem.setPermissions(of: lock, like: nil, inDirectoryOf: path) }
        guard try fileSystem.lock(lock, waiting: directory.list.patience) else {
            throw SettingsError(.busy, store: store)
        }
        for file in plan.present where file.seen != nil || plan.new.contains(where: { $0.part == file.part }) {
            guard try directory.wholeFile(named: file.name).status() == file.seen?.status else { return nil }
        }
        var statuses: [FileStatus] = []
        for (new, prepared) in zip(plan.new, prepared) {
            let file = directory.wholeFile(named: new.name)
            let status = try fileSystem.coordinating(.replacing, of: file.path) { () throws(SystemError) in
                try file.put(prepared)
            }
            statuses.append(status)
            // A power failure must not keep the emptied part and lose the part that got its records.
            if new.part > 0, !new.records.isEmpty { try file.synchronizeDirectory() }
        }
        return statuses
    }

    /// Returns when the own files survive a power failure, even if another process has replaced them.
    func synchronize() throws {
        guard let name = directory.ownFileName() else { return }
        let (status, durable) = directory.table.withLock { ($0.files[name]?.status, $0.durableStatus) }
        guard let status, status != durable else { return }
        do throws(SystemError) {
            try directory.wholeFile(named: name).synchronizeDirectory()
        } catch {
            // A second flush can succeed although the first one has lost data, so the files are written again.
            directory.table.withLock { $0.mustRewrite = true }
            throw error
        }
        directory.table.withLock { $0.durableStatus = status }
    }

    /// Removes temporary files of dead processes, once.
    func finish() {
        let (isDone, names) = directory.table.withLock { table in
            defer { table.hasCleanedUp = true }
            return (table.hasCleanedUp, Array(table.files.keys))
        }
        if isDone { return }
        do throws(SystemError) {
            // Removed only after an hour: a syncer can bring temporary files of other devices.
            for name in names where ReplicaFileName.isLikely(name, of: directory.tracker.memory.replica) {
                try directory.wholeFile(named: name).removeTemporaries(.unlockedForAnHour)
            }
        } catch {
            // Temporary files are never read, and the next process tries again.
        }
    }
}

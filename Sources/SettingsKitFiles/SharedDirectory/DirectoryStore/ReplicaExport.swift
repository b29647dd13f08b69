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
    let state: ReplicaState
    let seenFiles: SeenFiles
    let ownFiles: OwnFiles
    let fileSystem: any FileSystem
    let options: DirectoryStore.Options
    /// Reads the directory.
    let read: () throws -> Void

    struct Plan {
        let present: [OwnFile]
        let new: [NewFile]
        let exported: OwnFiles.Exported
        let isCompacting: Bool
    }

    var store: String { state.list.description }

    func plan(isRetry: Bool) throws -> Plan? {
        if isRetry {
            // Another process or thread has changed a file.
            try read()
            if ownFiles.need == .nothing { return nil }
        }
        guard let files = seenFiles.ownFiles else { throw ReplicaProblem.noFreeName }
        let own = state.memory
        let exported = OwnFiles.Exported(replica: own.replica, changes: state.changes, written: state.now())
        let isCompacting = ownFiles.mustCompact
        let entries = state.contents.sharedEntries
        // Other devices must not receive a change that a power failure here could undo: this replica would not recognize it.
        try state.list.flush()
        return Plan(
            present: files, new: try newFiles(entries, in: files, own, exported, isCompacting: isCompacting),
            exported: exported, isCompacting: isCompacting)
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
            var summary = SeenFile.Summary(of: ReplicaFile(header: header, records: records))
            summary.contents = PartContents(records)
            return summary
        }
    }

    /// Returns the files of an export, in the order in which they are put in place: the head last.
    private func newFiles(
        _ entries: [(name: String, bytes: Data)], in files: [OwnFile], _ own: ReplicaMemory,
        _ exported: OwnFiles.Exported, isCompacting: Bool
    ) throws -> [NewFile] {
        let planned = entries.map { name, bytes in
            let fingerprint = PartContents.fingerprint(of: name, bytes)
            return PartPlan.Record(
                size: PartContents.size(of: name, bytes),
                part: files.last { $0.contents?.contains(fingerprint) ?? false }?.part)
        }
        guard planned.reduce(0, { $0 + $1.size }) <= options.sizeLimit else { throw ReplicaProblem.tooMuch }
        var parts: [Int: Int?] = [:]
        for file in files.dropFirst() where file.seen != nil { parts[file.part] = .some(file.contents?.size) }
        let plan = PartPlan(
            records: planned, parts: parts, isCompacting: isCompacting, headLimit: options.headLimit)
        var header = ReplicaHeader(
            replica: own.replica, device: options.deviceName ?? DeviceName.own, written: exported.written,
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
            let records = file.records.compactMap { index in
                SharedEntry(entries[index].bytes).map { SharedRecord(name: entries[index].name, entry: $0) }
            }.sorted { $0.name < $1.name }
            header.recordCount = records.count
            return NewFile(part: file.part, name: files[file.part].name, header: header, records: records)
        }
    }

    func contents(of plan: Plan) throws -> [WholeFile.NewContents] {
        try plan.new.map { new in
            let bytes = new.bytes
            guard bytes.count <= options.sizeLimit else { throw ReplicaProblem.tooMuch }
            return .init(of: seenFiles.wholeFile(named: new.name), Data(bytes))
        }
    }

    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool {
        guard let statuses = try putLocked(prepared, plan) else { return false }
        seenFiles.replace(
            zip(plan.new, statuses).map { ($0.name, SeenFile(status: $1, content: .replica($0.summary))) })
        ownFiles.record(plan.exported, hasCompacted: plan.isCompacting)
        return true
    }

    /// - Returns: the statuses of the new files. Nil if the current files have changed since they were read.
    private func putLocked(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> [FileStatus]? {
        let path = WholeFile.split(state.list.path).directory + "/Export.lock"
        let (lock, isNew) = try fileSystem.openOrCreate(path)
        defer { fileSystem.close(lock) }
        if isNew { try fileSystem.setPermissions(of: lock, like: nil, inDirectoryOf: path) }
        guard try fileSystem.lock(lock, waiting: state.list.patience) else {
            throw SettingsError(.busy, store: store)
        }
        for file in plan.present where file.seen != nil || plan.new.contains(where: { $0.part == file.part }) {
            guard try seenFiles.wholeFile(named: file.name).status() == file.seen?.status else { return nil }
        }
        var statuses: [FileStatus] = []
        for (new, prepared) in zip(plan.new, prepared) {
            let file = seenFiles.wholeFile(named: new.name)
            let status = try fileSystem.coordinating(.replacing, of: file.path) { () throws(SystemError) in
                try file.put(prepared)
            }
            statuses.append(status)
            // A power failure must not keep the emptied part and lose the part that got its records.
            if new.part > 0, !new.records.isEmpty { try file.synchronizeDirectory() }
        }
        return statuses
    }

    func synchronize() throws { try ownFiles.synchronize() }

    func finish() { ownFiles.removeTemporaries() }
}

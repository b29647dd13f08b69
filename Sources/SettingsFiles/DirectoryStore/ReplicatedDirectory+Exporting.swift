import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writing the replica's file.
extension ReplicatedDirectory {
    /// How often the file is written if nothing changes: others see by it that the device is in use.
    private static var longestSilence: Int64 { 86_400_000 }
    /// How often a new file is written in vain, because the present one changes meanwhile, before it is given up.
    private static var attemptLimit: Int { 20 }

    /// Whether the directory lacks something that others are to be told.
    var needsExport: Bool {
        if table.withLock({ $0.mustExport }) { return true }
        let seen = ownFileName().flatMap { name in table.withLock { $0.files[name] } }
        guard let summary = seen?.summary, let header = summary.header, let changes = summary.ownChanges else {
            return true
        }
        let now = now()
        return changes != tracker.ownChanges || header.written < now - Self.longestSilence
            || HybridClock.isAhead(header.written, of: now)
    }

    /// Takes over what the directory has, and writes the replica's file if that is needed.
    func export(always: Bool) throws {
        do {
            try look()
            guard always || needsExport else { return }
            try write()
        } catch {
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
    }

    /// Makes everything survive a power failure, here and in the directory.
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
            guard let name = ownFileName() else { throw ReplicaProblem.noFreeName }
            let known = table.withLock { $0.files[name] }
            let (own, changes) = (tracker.memory, tracker.ownChanges)
            let records = records().sorted { $0.name < $1.name }
            // Others must not get what a power failure here could undo: it would look as if somebody else had written it.
            try list.synchronize()
            let header = header(of: own, records)
            let bytes = ReplicaFileWriter.bytes(header, records)
            guard bytes.count <= options.sizeLimit else { throw ReplicaProblem.tooMuch }
            let file = ownFile(named: name)
            let prepared = try file.prepare(Data(bytes))
            guard let status = try put(prepared, file, known) else {
                // Somebody has changed it, or this process has in another thread.
                try look()
                if !needsExport { return }
                continue
            }
            var summary = SeenFile.Summary(of: ReplicaFile(header: header, records: records))
            summary.ownChanges = changes
            table.withLock { table in
                table.files[name] = SeenFile(status: status, content: .replica(summary))
                table.mustExport = false
            }
            try synchronizeDirectory()
            cleanUp(file)
            return
        }
        throw SettingsError(.conflict, store: list.description)
    }

    /// The first line of the replica's file with these records.
    private func header(of own: ReplicaMemory, _ records: [SharedRecord]) -> ReplicaHeader {
        var heard = own.heard
        for record in records where record.entry.stamp.replica == own.replica {
            heard.raise(own.replica, to: record.entry.stamp.moment)
        }
        return ReplicaHeader(
            replica: own.replica, device: options.deviceName ?? DeviceName.own, written: now(),
            recordCount: records.count, accepted: own.accepted, heard: heard, unknownFields: own.unknownFields)
    }

    /// Sees to it that the own file survives a power failure, whoever has put it in its place.
    private func synchronizeDirectory() throws {
        guard let name = ownFileName() else { return }
        let (status, durable) = table.withLock { ($0.files[name]?.status, $0.durableStatus) }
        guard let status, status != durable else { return }
        do throws(SystemError) {
            try ownFile(named: name).synchronizeDirectory()
        } catch {
            // A second attempt may succeed without having done what the first did not. A new file is a new attempt.
            table.withLock { $0.mustExport = true }
            throw error
        }
        table.withLock { $0.durableStatus = status }
    }

    /// Puts a new file in the place of the own one, before all other processes with this state. Not with the state's own
    /// lock, which setting a value needs: a network may not answer.
    ///
    /// - Returns: nil if that is not the one any more that was looked at.
    private func put(_ prepared: WholeFile.Prepared, _ file: WholeFile, _ known: SeenFile?) throws -> FileStatus? {
        do {
            let path = WholeFile.split(list.path).directory + "/Export.lock"
            let (lock, isNew) = try fileSystem.openOrCreate(path)
            defer { fileSystem.close(lock) }
            if isNew { try fileSystem.setPermissions(of: lock, like: nil, inDirectoryOf: path) }
            guard try fileSystem.lock(lock, waiting: list.patience) else {
                throw SettingsError(.busy, store: list.description)
            }
            let isKnown = try file.status() == known?.status
            let status = isKnown ? try file.put(prepared) : nil
            if status == nil { file.discard(prepared) }
            return status
        } catch {
            file.discard(prepared)
            throw error
        }
    }

    private func cleanUp(_ file: WholeFile) {
        let isDone = table.withLock { table in
            defer { table.hasCleanedUp = true }
            return table.hasCleanedUp
        }
        if isDone { return }
        do throws(SystemError) {
            // A syncer may bring those of other devices.
            try file.removeTemporaries(.unlockedForAnHour)
        } catch {
            // What is left behind is read by nobody, and the next process tries again.
        }
    }

    /// The name of the replica's file: the first one that is free, or has it. Nil if there is none.
    ///
    /// What is none of our files but has a name with our ID in it was ours, and was destroyed.
    func ownFileName() -> String? {
        let own = tracker.memory.replica
        let files = table.withLock { $0.files }
        return (1...100).lazy.map { ReplicaFileName.name(of: own, attempt: $0) }.first { name in
            switch files[name]?.content {
            case nil, .foreign: true
            case .replica(let summary): summary.header == nil || summary.header?.replica == own
            case .noFile, .tooLarge, .newerVersion, .placeholder, .unreadable: false
            }
        }
    }

    func ownFile(named name: String) -> WholeFile {
        WholeFile(path: WholeFile.join(directory, name), fileSystem: fileSystem)
    }
}

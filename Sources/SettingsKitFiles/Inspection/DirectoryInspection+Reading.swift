import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a shared directory and a state for an inspection.
extension DirectoryInspection {
    /// Reads the files of the directory and of the state.
    ///
    /// - Parameters:
    ///   - state: The directory of the state; nil for the default one of this program.
    ///   - now: The machine's time, in milliseconds since 1970.
    /// - Throws: ``SettingsError`` if a path cannot be used or the state cannot be read; ``SystemError`` if the directory cannot
    ///   be read.
    package init(directory: String, state: String?, in fileSystem: any FileSystem, now: Int64) throws {
        let location = try DirectoryLocation(directory: directory, state: state)
        self.init(directory: location.directory, statePath: location.statePath, now: now)
        try readState(fileSystem)
        try readDirectory(fileSystem)
        holdBack()
    }

    private mutating func readState(_ fileSystem: any FileSystem) throws {
        let list = try LoadedPropertyList(path: statePath, fileSystem: fileSystem, store: "The state at \(statePath)")
        list.files.cursor.journal?.close()
        records = list.contents.sharedRecords
        do throws(ReplicaProblem) {
            memory = try list.contents.data(named: ReplicaMemory.name).flatMap { bytes throws(ReplicaProblem) in
                try ReplicaMemory(bytes)
            }
        } catch {
            if case .newerState(let version) = error { newerState = version }
        }
    }

    private mutating func readDirectory(_ fileSystem: any FileSystem) throws(SystemError) {
        let own = memory?.replica ?? ReplicaID(0)
        let names = try fileSystem.names(inDirectory: directory)
        for name in names where name.hasPrefix(".Settings-") && name.hasSuffix(".tmp") {
            let path = WholeFile.join(directory, name)
            guard let status = try fileSystem.status(of: path, followingLink: false), status.kind == .file else {
                continue
            }
            temporaries[name] = status.modified.seconds
        }
        let candidates = ReplicaFileName.candidates(among: names, own: own)
        fileCount = candidates.count
        for name in candidates.prefix(DirectoryLimits.files) {
            let found = SeenFile.read(name, in: directory, fileSystem, sizeLimit: DirectoryLimits.fileSize)
            files[name] = found.map { File(seen: $0.seen, file: $0.file) }
        }
    }

    /// Determines the records that a store would hold back or refuse, and those of a copied state.
    mutating func holdBack() {
        let known = Dictionary(records.map { ($0.name, $0.entry) }, uniquingKeysWith: max)
        var accepted = memory?.accepted ?? AcceptedTimes()
        let last = records.map(\.entry.stamp.moment).max() ?? .earliest
        for file in files.values {
            if let header = file.file?.header {
                accepted.join(header.accepted, now: now, last: last.lastCredibleEpoch)
            }
        }
        let merge = SharedMerge(
            own: memory?.replica ?? ReplicaID(0), now: now, accepted: accepted, lastEpoch: last.lastCredibleEpoch,
            collected: memory?.collected, present: { known[$0] })
        for (name, file) in files {
            guard let replicaFile = file.file, case .replica(var summary) = file.seen.content else { continue }
            let outcome = merge.outcome(of: replicaFile.records)
            summary.record(outcome)
            files[name]?.seen.content = .replica(summary)
            if outcome.hasForeignWritesOfOwn { hasCopiedState = true }
        }
    }
}

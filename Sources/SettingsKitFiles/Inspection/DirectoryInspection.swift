import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a shared directory and of a local state for it. Nothing is locked or written, and no replica is created.
package struct DirectoryInspection: Sendable {
    /// A device, with its pending changes and the removals kept because of it.
    package struct Device: Sendable, Equatable {
        package var replica: DirectoryStore.Replica
        /// The names of the replica's files.
        package var files: [String]
        /// The number of settings whose latest change the device has not received; for the own device, that are not yet in its
        /// files. Nil without a state.
        package var pendingCount: Int?
        /// The number of old removals that are remembered because of the device. Nil without a state.
        package var blockedCount: Int?
    }

    /// A file in the directory with its contents.
    private struct File: Sendable {
        var seen: SeenFile
        var file: ReplicaFile?
    }

    package let directory: String
    /// The path of the state's property list.
    fileprivate let statePath: String
    private var files: [String: File] = [:]
    /// Temporary files, with the times of their last changes in seconds since 1970.
    private var temporaries: [String: Int64] = [:]
    private var fileCount = 0
    /// The replica of the state; nil if there is none.
    private var memory: ReplicaMemory?
    /// The version of a state that is newer than this library.
    private var newerState: Int?
    /// Whether another device has written under the replica's ID.
    private var hasCopiedState = false
    /// The entries of the state.
    private var records: [SharedRecord] = []
    /// The machine's time, in milliseconds since 1970.
    private let now: Int64

    /// The retention time of removals, in milliseconds: the default of a store.
    private static let retention = Int64(DirectoryTimings.retention / .milliseconds(1))

    // MARK: Reading

    /// Reads the files of the directory and of the state.
    ///
    /// - Parameters:
    ///   - state: The directory of the state; nil for the default one of this program.
    ///   - now: The machine's time, in milliseconds since 1970.
    /// - Throws: ``SettingsError`` if a path cannot be used or the state cannot be read; ``SystemError`` if the directory cannot
    ///   be read.
    package init(directory: String, state: String?, in fileSystem: any FileSystem, now: Int64) throws {
        let location = try DirectoryLocation(directory: directory, state: state)
        self.directory = location.directory
        statePath = location.statePath
        self.now = min(max(now, 0), Instant.latestMilliseconds)
        try readState(fileSystem)
        try readDirectory(fileSystem)
        holdBack()
    }

    private mutating func readState(_ fileSystem: any FileSystem) throws {
        let list = try LoadedPropertyList(path: statePath, fileSystem: fileSystem, store: "The state at \(statePath)")
        list.cursor.journal?.close()
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
    private mutating func holdBack() {
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

    // MARK: Devices

    private var summaries: [String: SeenFile.Summary] { files.compactMapValues(\.seen.summary) }

    /// The devices with files in the directory: the own one first, then by name. Linear time.
    package var devices: [Device] {
        let summaries = summaries
        let parts = ReplicaParts(summaries)
        let blocked = blockedCounts(parts)
        return parts.replicas(among: summaries, own: memory?.replica, now: now).map { replica, header in
            let names = summaries.filter { $0.value.header?.replica == header.replica }.keys.sorted()
            return Device(
                replica: replica, files: names,
                pendingCount: memory == nil ? nil : replica.isOwn ? unwrittenCount : unheardCount(header.heard),
                blockedCount: memory == nil || replica.isOwn ? nil : names.reduce(0) { $0 + (blocked[$1] ?? 0) })
        }
    }

    /// The number of the state's entries that a replica has not heard.
    private func unheardCount(_ heard: HeardMoments) -> Int { records.count { !heard.covers($0.entry.stamp) } }

    /// The number of own changes in the state that are in none of the own files.
    var unwrittenCount: Int {
        guard let own = memory?.replica else { return 0 }
        var written: [String: Stamp] = [:]
        for file in files.values where file.file?.header?.replica == own {
            for record in file.file?.records ?? [] {
                written[record.name] = max(written[record.name] ?? record.entry.stamp, record.entry.stamp)
            }
        }
        return records.count { record in
            record.entry.stamp.replica == own && (written[record.name].map { $0 < record.entry.stamp } ?? true)
        }
    }

    /// The number of old removals that are kept because of each file.
    func blockedCounts(_ parts: ReplicaParts) -> [String: Int] {
        guard let own = memory?.replica else { return [:] }
        let old = records.filter {
            $0.entry.isTombstone && $0.entry.stamp.moment.instant.milliseconds < now - Self.retention
        }
        var held = HeldRemovals(old)
        if old.isEmpty { return [:] }
        held.hold(unheardIn: parts, besides: own, since: now - Self.retention)
        for (name, file) in files where file.file?.header?.replica != own {
            for record in file.file?.records ?? [] { held.hold(record, in: name) }
        }
        return held.counts
    }

    // MARK: Findings

    /// The problems of the directory and of the state's entries. The state's files are inspected like any property list's.
    package var findings: [StoreFinding] { stateFindings + ownFindings + fileFindings + temporaryFindings }

    private var stateFindings: [StoreFinding] {
        if let newerState {
            return [
                StoreFinding(
                    .stateNewer, at: statePath, ReplicaProblem.newerState(newerState).description,
                    advice: "Nothing is read or written until then.")
            ]
        }
        guard let memory else {
            return [
                StoreFinding(
                    .noState, .note, at: statePath, "There is no local state for the directory here.",
                    advice: "Name that of the program: ?state=DIR. A program that has none begins as a new replica."
                )
            ]
        }
        var findings: [StoreFinding] = []
        if let other = memory.directory, other != directory {
            findings.append(
                StoreFinding(
                    .otherDirectory, at: statePath, "The local state belongs to \(other).",
                    advice:
                        "Use one state for each shared directory. If the directory was moved, nothing needs to be done."
                ))
        }
        if hasCopiedState {
            findings.append(
                StoreFinding(
                    .copiedState, at: statePath,
                    "Another device, or an earlier one, has written under this replica's ID: the local state is a copy.",
                    advice: "The next program that opens the store takes a new ID. Both devices' changes stay."))
        }
        let latest = records.map(\.entry.stamp.moment).max()
        if let latest, HybridClock.isAhead(latest.instant, of: now) {
            findings.append(
                StoreFinding(
                    .clockBehind, at: statePath,
                    "The newest entry is from \(InstantText.text(latest.instant.milliseconds)), more than a day after the time of "
                        + "this machine's clock.",
                    advice: "Correct the clock. Changes are ordered correctly all the same."))
        }
        return findings
    }

    private var ownFindings: [StoreFinding] {
        guard let own = memory?.replica else { return [] }
        let path = WholeFile.join(directory, ReplicaFileName.name(of: own))
        let names = files.filter { $0.value.file?.header?.replica == own }
        if names.isEmpty {
            return [
                StoreFinding(
                    .ownFileMissing, at: path, "The file of this replica is missing.",
                    advice: "The next program that opens the store writes it.")
            ]
        }
        let count = unwrittenCount
        if count == 0 { return [] }
        return [
            StoreFinding(
                .ownFileOutdated, .note, at: path, "\(count) changes of this device are not in the directory yet.",
                advice: "The next program that opens the store writes them.")
        ]
    }

    private var fileFindings: [StoreFinding] {
        let summaries = summaries
        let parts = ReplicaParts(summaries)
        let leastWritten = now - Self.retention
        let blocked = blockedCounts(parts)
        var problems: [(file: String, problem: ReplicaProblem)] = []
        for (name, file) in files {
            for problem in file.seen.problems(named: name) { problems.append((name, problem)) }
        }
        for (name, header) in parts.abandoned(among: summaries, since: leastWritten)
        where header.replica != memory?.replica {
            problems.append((name, .abandoned(name, written: header.written, removals: blocked[name] ?? 0)))
        }
        for (name, _, part) in parts.waiting(since: leastWritten) { problems.append((name, .missingPart(name, part))) }
        var findings = problems.sorted { ($0.file, "\($0.problem)") < ($1.file, "\($1.problem)") }.map(finding)
        if fileCount > DirectoryLimits.files {
            findings.append(
                StoreFinding(
                    .tooManyFiles, at: directory, ReplicaProblem.tooManyFiles(fileCount).description,
                    advice: "Move files that are not replicas' away."))
        }
        for head in parts.heads where parts.newest[head.header.replica]?.file != head.file {
            findings.append(
                StoreFinding(
                    .conflictCopy, .note, at: WholeFile.join(directory, head.file),
                    "It is an older copy of another file of the same replica.",
                    advice: "Its settings are merged. Delete the file, which a syncer has left."))
        }
        return findings
    }

    private func finding(_ file: String, _ problem: ReplicaProblem) -> StoreFinding {
        let isOwn = memory != nil && ReplicaFileName.isLikely(file, of: memory?.replica ?? ReplicaID(0))
        let path = WholeFile.join(directory, file)
        switch problem {
        case .clockAhead:
            return StoreFinding(
                .heldBack, at: path, problem.description, advice: "Correct the clock of the device that made them.")
        case .abandoned(_, _, let removals):
            return StoreFinding(.abandoned, removals > 0 ? .problem : .note, at: path, problem.description, advice: "")
        case .notDelivered:
            return StoreFinding(.replicaFile, .note, at: path, problem.description, advice: "")
        case .damagedFile where isOwn, .incompleteFile where isOwn:
            return StoreFinding(
                .replicaFile, at: path, problem.description,
                advice: "It is this replica's: the next program that opens the store writes it again.")
        case .damagedFile, .incompleteFile, .missingPart:
            return StoreFinding(
                .replicaFile, at: path, problem.description, advice: "Its device writes it again at its next change.")
        default:
            return StoreFinding(.replicaFile, at: path, problem.description, advice: "")
        }
    }

    private var temporaryFindings: [StoreFinding] {
        temporaries.filter { $0.value < now / 1_000 - PlatformTimings.abandonment }.keys.sorted().map { name in
            StoreFinding(
                .temporary, at: WholeFile.join(directory, name), "A temporary file was left by a process that died.",
                advice: "All of its settings are also elsewhere. The next program that writes here removes it.")
        }
    }
}

extension DirectoryStore {
    /// Returns the findings about a shared directory and the local state for it. Nothing is locked or written.
    ///
    /// - Parameters:
    ///   - directory: An absolute path.
    ///   - state: The directory of the state; nil for the default one of this program.
    /// - Throws: as ``DirectoryInspection`` does.
    package static func findings(directory: String, state: String?) throws -> [StoreFinding] {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let inspection = try DirectoryInspection(directory: directory, state: state, in: POSIXFileSystem(), now: now)
        return try (PropertyListStore.findings(path: inspection.statePath) ?? []) + inspection.findings
    }
}

import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a shared directory and of a local state for it. Nothing is locked or written, and no replica is created.
package struct DirectoryInspection: Sendable {
    /// A device, with its pending changes.
    package struct Device: Sendable, Equatable {
        package var replica: DirectoryStore.Replica
        /// The names of the replica's files.
        package var files: [String]
        /// The number of settings whose latest change is in none of the device's files. Nil without a state.
        package var pendingCount: Int?
    }

    package let directory: String
    /// The path of the state's log.
    private let statePath: String
    private var files: [String: SeenFile] = [:]
    /// What the files of each replica say together.
    private var contents: [UInt64: LogContents] = [:]
    private var fileCount = 0
    private var state = LogContents()
    private var stateProblem: StoreFinding?
    /// Whether another device has written under the replica's ID.
    private var hasCopiedState = false
    /// The machine's time, in milliseconds since 1970.
    private let now: Int64

    /// Reads the files of the directory and of the state.
    ///
    /// - Parameters:
    ///   - state: The directory of the state; nil for the default one of this program.
    ///   - now: The machine's time, in milliseconds since 1970.
    /// - Throws: ``SettingsError`` if a path cannot be used; ``SystemError`` if the directory cannot be read.
    package init(directory: String, state: String?, in fileSystem: any FileSystem, now: Int64) throws {
        let location = try DirectoryLocation(directory: directory, state: state)
        (self.directory, statePath, self.now) = (location.directory, location.statePath + "-log", now)
        var setup = SettingsLog.Setup(base: location.statePath, fileSystem: fileSystem, description: "the state")
        setup.isReadOnly = true
        do {
            let log = try SettingsLog(setup)
            self.state = log.withContents { $0 }
            if log.mustCompact {
                stateProblem = StoreFinding(
                    .logDamaged, at: statePath, "\(LogProblem.damaged)",
                    advice: "The next program that opens the store writes a new one.")
            }
        } catch {
            let isNewer = if case LogProblem.newerVersion = error { true } else { false }
            stateProblem = StoreFinding(isNewer ? .stateNewer : .unreadable, at: statePath, "\(error)", advice: "")
        }
        let names = ReplicaFileName.candidates(among: try fileSystem.names(inDirectory: location.directory))
        fileCount = names.count
        for name in names.prefix(DirectoryLimits.files) {
            guard let (seen, lines) = SeenFile.read(WholeFile.join(location.directory, name), in: fileSystem) else {
                continue
            }
            files[name] = seen
            for line in lines {
                if let writer = seen.summary?.replica?.id {
                    _ = contents[writer, default: LogContents()].apply(.changes(line))
                }
            }
            let own = self.state.replica?.id
            hasCopiedState =
                hasCopiedState || self.state.winners(among: lines).contains { own != nil && $0.stamp?.replica == own }
        }
    }

    // MARK: Devices

    /// The devices with files in the directory: the own one first, then by name. Linear time.
    package var devices: [Device] {
        DirectoryStore.Replica.list(state, files.values, now: now).compactMap { replica in
            let names = files.filter { $0.value.summary?.replica?.id.hexDigits == replica.id }.keys.sorted()
            if names.isEmpty { return nil }
            return Device(
                replica: replica, files: names, pendingCount: state.replica == nil ? nil : pendingCount(replica.id))
        }
    }

    /// The number of settings whose latest change is in none of a replica's files.
    private func pendingCount(_ id: String) -> Int {
        let known = contents.first { $0.key.hexDigits == id }?.value ?? LogContents()
        return state.entries.count { $1.wins(over: known.entries[$0]) }
    }

    // MARK: Findings

    /// The problems of the directory and of the state.
    package var findings: [StoreFinding] {
        var findings = stateFindings + fileFindings
        if fileCount > DirectoryLimits.files {
            findings.append(
                StoreFinding(
                    .tooManyFiles, at: directory, ReplicaProblem.tooManyFiles(fileCount).description,
                    advice: "Move files that are not replicas' away."))
        }
        return findings
    }

    private var stateFindings: [StoreFinding] {
        if let stateProblem, stateProblem.kind != .logDamaged { return [stateProblem] }
        guard let replica = state.replica else {
            return [
                StoreFinding(
                    .noState, .note, at: statePath, "There is no local state for the directory here.",
                    advice: "Name that of the program: ?state=DIR. A program that has none begins as a new replica."
                )
            ]
        }
        var findings = stateProblem.map { [$0] } ?? []
        if hasCopiedState {
            findings.append(
                StoreFinding(
                    .copiedState, at: statePath,
                    "Another device, or an earlier one, has written under this replica's ID: the local state is a copy.",
                    advice: "The next program that opens the store takes a new ID. Both devices' changes stay."))
        }
        if let latest = state.entries.values.compactMap({ $0.stamp?.milliseconds }).max(), latest > now + 86_400_000 {
            findings.append(
                StoreFinding(
                    .clockBehind, at: statePath,
                    "The newest change is more than a day after the time of this machine's clock.",
                    advice: "Correct the clock of the device that made it, or of this one."))
        }
        let path = WholeFile.join(directory, ReplicaFileName.name(of: replica.id))
        if contents[replica.id] == nil {
            findings.append(
                StoreFinding(
                    .ownFileMissing, at: path, "The file of this replica is missing.",
                    advice: "The next program that opens the store writes it."))
        } else {
            let count = pendingCount(replica.id.hexDigits)
            if count > 0 {
                findings.append(
                    StoreFinding(
                        .ownFileOutdated, .note, at: path, "\(count) changes are not in the directory yet.",
                        advice: "The next program that opens the store writes them."))
            }
        }
        return findings
    }

    private var fileFindings: [StoreFinding] {
        files.sorted { $0.key < $1.key }.compactMap { name, file in
            guard let problem = file.problem(named: name) else { return nil }
            let (severity, advice): (StoreFinding.Severity, String) =
                switch problem {
                case .notDelivered: (.note, "")
                case .damagedFile: (.problem, "The device that wrote the file writes it again.")
                default: (.problem, "")
                }
            return StoreFinding(
                .replicaFile, severity, at: WholeFile.join(directory, name), problem.description, advice: advice)
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
        return try DirectoryInspection(directory: directory, state: state, in: POSIXFileSystem(), now: now).findings
    }
}

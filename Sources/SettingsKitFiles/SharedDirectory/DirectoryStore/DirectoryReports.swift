import SettingsKitCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists the replicas in the directory, and reports problems with their files.
final class DirectoryReports: Sendable {
    private let state: ReplicaState
    private let seenFiles: SeenFiles
    private let ownFiles: OwnFiles
    private let oldRemovals: OldRemovals
    /// The topics of the diagnosed problems that persist.
    private let diagnosed = Mutex<Set<String>>([], .leaf)

    init(of state: ReplicaState, in seenFiles: SeenFiles, _ ownFiles: OwnFiles, _ oldRemovals: OldRemovals) {
        (self.state, self.seenFiles, self.ownFiles, self.oldRemovals) = (state, seenFiles, ownFiles, oldRemovals)
    }

    /// The replicas that have files in the directory.
    var replicas: [DirectoryStore.Replica] {
        let summaries = seenFiles.summaries
        return ReplicaParts(summaries).replicas(among: summaries, own: state.memory.replica, now: state.now()).map(
            \.replica)
    }

    /// Returns the last change of a value. Nil if there is none.
    func lastChange(of name: String) -> DirectoryStore.LastChange? {
        guard let entry = state.contents.sharedEntry(named: name), !entry.isTombstone else { return nil }
        let replica = entry.stamp.replica
        let headers = seenFiles.summaries.values.compactMap(\.header)
        return DirectoryStore.LastChange(
            replica: replica.description, deviceName: headers.first { $0.replica == replica }?.device,
            date: Date(timeIntervalSince1970: Double(entry.stamp.moment.instant.milliseconds) / 1_000),
            isOwn: replica == state.memory.replica)
    }

    /// The problems with files in the directory, at the last reading.
    var report: DirectoryStore.Report {
        let problems = seenFiles.files.flatMap { name, file in
            file.problems(named: name).compactMap { $0.publicForm(file: name) }
        }
        let others = missingParts.map { ($0.file, $0.problem) } + abandonedFiles
        return DirectoryStore.Report(
            problems: (problems + others.compactMap { $1.publicForm(file: $0) }).sorted { $0.file < $1.file },
            hasUnexportedChanges: ownFiles.mustBeWritten)
    }

    /// Diagnoses problems that are new since the last reading. Abandoned files are in the report only.
    ///
    /// - Returns: whether there are problems that may disappear soon, because a file may be arriving.
    func diagnose() -> Bool {
        let (files, missingParts) = (seenFiles.files, missingParts)
        var problems = files.flatMap { name, file in file.settledProblems(named: name) }
        problems += missingParts.filter { !$0.isFresh }.map(\.problem)
        if let surplus = seenFiles.surplus { problems.append(surplus) }
        let new = diagnosed.withLock { diagnosed in
            let known = diagnosed
            diagnosed = Set(problems.map(\.topic))
            return problems.filter { !known.contains($0.topic) }
        }
        for problem in new { state.report(problem) }
        return missingParts.contains(where: \.isFresh) || files.contains { $1.isUnsettled(named: $0) }
    }

    /// The files of other replicas that wait for a part. Missing own parts are written at the next export.
    ///
    /// They are fresh if one of the replica's files was read just now, so that the rest may be arriving.
    private var missingParts: [(file: String, problem: ReplicaProblem, isFresh: Bool)] {
        let (own, files) = (state.memory.replica, seenFiles.files)
        let waiting = ReplicaParts(files.compactMapValues(\.summary)).waiting(since: state.leastWritten).filter {
            $0.replica != own
        }
        if waiting.isEmpty { return [] }
        let fresh = Set(files.values.filter(\.isFresh).compactMap { $0.summary?.header?.replica })
        return waiting.map { file, replica, part in (file, .missingPart(file, part), fresh.contains(replica)) }
    }

    /// The files that were not written for longer than removals are remembered.
    private var abandonedFiles: [(file: String, problem: ReplicaProblem)] {
        let (own, summaries, held) = (state.memory.replica, seenFiles.summaries, oldRemovals.held)
        let abandoned = ReplicaParts(summaries).abandoned(among: summaries, since: state.leastWritten)
        return abandoned.compactMap { name, header in
            // The own file is written as soon as possible. Copies of it are not.
            if header.replica == own, name == seenFiles.ownName() { return nil }
            return (name, .abandoned(name, written: header.written, removals: held[name] ?? 0))
        }
    }
}

extension ReplicaProblem {
    /// Identifies the problem without its numbers, so that it is diagnosed once.
    fileprivate var topic: String {
        switch self {
        case .newerFile(let file, _), .damagedFile(let file, _, _), .incompleteFile(let file, _, _),
            .missingPart(let file, _), .oversizedRecords(let file, _), .tooLarge(let file), .notDelivered(let file),
            .unreadable(let file, _), .clockAhead(let file, _), .returned(let file, _),
            .abandoned(let file, _, _):
            "\(code.name) \(file)"
        case .newerState, .tooManyFiles, .valueTooLarge, .tooMuch, .copiedState, .missingDirectory, .noFreeName,
            .stateInDirectory, .otherDirectory:
            code.name
        }
    }

    /// Returns the problem for the report. Nil if it does not concern a file.
    fileprivate func publicForm(file: String) -> DirectoryStore.Problem? {
        func problem(_ kind: DirectoryStore.Problem.Kind, _ count: Int? = nil) -> DirectoryStore.Problem {
            .init(file: file, kind: kind, recordCount: count, description: description)
        }
        return switch self {
        case .damagedFile(_, _, let damaged): problem(.damaged, damaged)
        case .incompleteFile(_, let present, let all): problem(.incomplete, all - present)
        case .missingPart: problem(.incomplete)
        case .oversizedRecords(_, let records): problem(.oversized, records)
        case .clockAhead(_, let records): problem(.heldBack, records)
        case .notDelivered: problem(.pending)
        case .tooLarge: problem(.tooLarge)
        case .newerFile: problem(.newerVersion)
        case .unreadable: problem(.unreadable)
        case .abandoned(_, _, let removals): problem(.abandoned, removals)
        case .newerState, .tooManyFiles, .valueTooLarge, .tooMuch, .copiedState, .returned, .missingDirectory,
            .noFreeName, .stateInDirectory, .otherDirectory:
            nil
        }
    }
}

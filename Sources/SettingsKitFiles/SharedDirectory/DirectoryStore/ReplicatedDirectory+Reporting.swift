import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists the replicas in the directory, and reports problems with their files.
extension ReplicatedDirectory {
    /// Returns the replicas that have files in the directory.
    func replicas() -> [DirectoryStore.Replica] {
        let summaries = table.withLock { $0.summaries }
        return ReplicaParts(summaries).replicas(among: summaries, own: tracker.memory.replica, now: now()).map(
            \.replica)
    }

    /// Returns the last change of a value. Nil if there is none.
    func lastChange(of name: String) -> DirectoryStore.LastChange? {
        guard let bytes = list.contents.withLock({ $0.data(named: name) }), let entry = SharedEntry(bytes),
            !entry.isTombstone
        else { return nil }
        let replica = entry.stamp.replica
        let headers = table.withLock { $0.summaries.values.compactMap(\.header) }
        return DirectoryStore.LastChange(
            replica: replica.description, deviceName: headers.first { $0.replica == replica }?.device,
            date: Date(timeIntervalSince1970: Double(entry.stamp.moment.instant.milliseconds) / 1_000),
            isOwn: replica == tracker.memory.replica)
    }

    /// Returns the problems with files in the directory, at the last reading.
    func report() -> DirectoryStore.Report {
        let files = table.withLock { $0.files }
        let problems = files.flatMap { name, file in
            file.problems(named: name).compactMap { $0.publicForm(file: name) }
        }
        let missing = missingParts.compactMap { $0.problem.publicForm(file: $0.file) }
        let abandoned = abandonedFiles.compactMap { $0.problem.publicForm(file: $0.file) }
        return DirectoryStore.Report(
            problems: (problems + missing + abandoned).sorted { $0.file < $1.file },
            hasUnexportedChanges: isReadOnly ? !isExported(in: ownFiles() ?? []) : exportNeed != .nothing)
    }

    /// A problem of a file that waits for another one.
    struct MissingPart {
        var file: String
        var problem: ReplicaProblem
        /// Whether one of the replica's files was read just now, so that the rest may be arriving.
        var isFresh: Bool
    }

    /// The files of other replicas that wait for a part. Missing own parts are written at the next export.
    var missingParts: [MissingPart] {
        let (own, files) = (tracker.memory.replica, table.withLock { $0.files })
        let waiting = ReplicaParts(files.compactMapValues(\.summary)).waiting(since: leastWritten).filter {
            $0.replica != own
        }
        if waiting.isEmpty { return [] }
        let fresh = Set(files.values.filter(\.isFresh).compactMap { $0.summary?.header?.replica })
        return waiting.map { file, replica, part in
            MissingPart(file: file, problem: .missingPart(file, part), isFresh: fresh.contains(replica))
        }
    }

    /// The files that were not written for longer than removals are remembered.
    private var abandonedFiles: [(file: String, problem: ReplicaProblem)] {
        let own = tracker.memory.replica
        let (summaries, held) = table.withLock { ($0.summaries, $0.heldRemovals) }
        let abandoned = ReplicaParts(summaries).abandoned(among: summaries, since: leastWritten)
        return abandoned.compactMap { name, header in
            // The own file is written as soon as possible. Copies of it are not.
            if header.replica == own, name == ownFileName() { return nil }
            return (name, .abandoned(name, written: header.written, removals: held[name] ?? 0))
        }
    }

    /// Diagnoses problems that are new since the last reading. Abandoned files are in the report only.
    func diagnoseProblems(_ missingParts: [MissingPart]) {
        let missing = missingParts.filter { !$0.isFresh }.map(\.problem)
        let new = table.withLock { table in
            var problems = table.files.flatMap { name, file in file.settledProblems(named: name) } + missing
            if let surplus = table.surplus { problems.append(surplus) }
            let topics = Set(problems.map(\.topic))
            defer { table.diagnosed = topics }
            return problems.filter { !table.diagnosed.contains($0.topic) }
        }
        diagnose(new)
    }

    /// Diagnoses problems.
    func diagnose(_ problems: [ReplicaProblem]) {
        for problem in problems {
            list.feed.report(SettingsError(problem.code, store: list.description, underlying: problem))
        }
    }

    /// Diagnoses that the directory cannot be read.
    func reportFailedPoll(_ error: any Error) {
        list.feed.report(.wrap(error, as: .notExported, store: list.description))
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

    /// The code of the error that reports the problem.
    var code: SettingsError.Code {
        switch self {
        case .damagedFile, .incompleteFile, .missingPart, .oversizedRecords: .partlyUsedFile
        case .clockAhead: .heldBack
        case .copiedState: .copiedState
        case .returned: .valuesReturned
        case .newerFile, .tooLarge, .tooManyFiles, .notDelivered, .unreadable, .abandoned: .unusedFile
        case .newerState, .stateInDirectory, .otherDirectory: .storeUnavailable
        case .missingDirectory, .noFreeName, .tooMuch: .notExported
        case .valueTooLarge: .writeFailed
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

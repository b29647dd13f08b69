import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Telling what is in the directory, and what is wrong with it.
extension ReplicatedDirectory {
    func replicas() -> [DirectoryStore.Replica] {
        let own = tracker.memory.replica
        var newest: [ReplicaID: SeenFile.Summary] = [:]
        for file in table.withLock({ $0.files }).values {
            guard let summary = file.summary, let header = summary.header else { continue }
            if let other = newest[header.replica]?.header, other.written >= header.written { continue }
            newest[header.replica] = summary
        }
        let now = now()
        let replicas = newest.compactMap { id, summary in
            summary.header.map { header in
                DirectoryStore.Replica(
                    id: id.description, deviceName: header.device,
                    lastSeen: Date(timeIntervalSince1970: Double(min(header.written, now)) / 1_000),
                    entryCount: summary.recordCount, isOwn: id == own)
            }
        }
        return replicas.sorted { one, other in
            if one.isOwn != other.isOwn { return one.isOwn }
            return (one.deviceName, one.id) < (other.deviceName, other.id)
        }
    }

    func report() -> DirectoryStore.Report {
        let files = table.withLock { $0.files }
        let problems = files.sorted { $0.key < $1.key }.flatMap { name, file in
            file.problems(named: name).compactMap { $0.publicForm(file: name) }
        }
        return DirectoryStore.Report(problems: problems, hasUnexportedChanges: needsExport)
    }

    /// Tells in the diagnostics what was not told before.
    func tellProblems() {
        let new = table.withLock { table in
            var problems = table.files.flatMap { name, file in file.settledProblems(named: name) }
            if let surplus = table.surplus { problems.append(surplus) }
            let topics = Set(problems.map(\.topic))
            defer { table.told = topics }
            return problems.filter { !table.told.contains($0.topic) }
        }
        tell(new)
    }

    func tell(_ problems: [ReplicaProblem]) {
        for problem in problems {
            list.feed.report(SettingsError(problem.code, store: list.description, underlying: problem))
        }
    }

    /// Tells that the directory cannot be looked at; the first time in a row.
    func noteFailure(of error: any Error) {
        if hasLookedInVain.exchange(true, ordering: .relaxed) { return }
        list.feed.report(.wrap(error, as: .notExported, store: list.description))
    }
}

extension ReplicaProblem {
    /// What it is about, whatever the numbers.
    fileprivate var topic: String {
        switch self {
        case .newerFile(let file, _), .damagedFile(let file, _, _), .incompleteFile(let file, _, _),
            .tooLarge(let file),
            .notDelivered(let file), .unreadable(let file, _), .clockAhead(let file, _), .returned(let file, _):
            "\(code.name) \(file)"
        case .newerState, .tooManyFiles, .valueTooLarge, .tooMuch, .copiedState, .missingDirectory, .noFreeName:
            code.name
        }
    }

    var code: SettingsError.Code {
        switch self {
        case .damagedFile, .incompleteFile: .damaged
        case .clockAhead: .heldBack
        case .copiedState: .copiedState
        case .returned: .returned
        case .newerFile, .tooLarge, .tooManyFiles, .notDelivered, .unreadable: .unusedFile
        case .newerState: .storeUnavailable
        case .missingDirectory, .noFreeName, .tooMuch: .notExported
        case .valueTooLarge: .writeFailed
        }
    }

    /// As it is said of one file; nil if it is about something else.
    fileprivate func publicForm(file: String) -> DirectoryStore.Problem? {
        func problem(_ kind: DirectoryStore.Problem.Kind, _ count: Int? = nil) -> DirectoryStore.Problem {
            .init(file: file, kind: kind, recordCount: count, description: description)
        }
        return switch self {
        case .damagedFile(_, _, let damaged): problem(.damaged, damaged)
        case .incompleteFile(_, let present, let all): problem(.incomplete, all - present)
        case .clockAhead(_, let records): problem(.heldBack, records)
        case .notDelivered: problem(.pending)
        case .tooLarge: problem(.tooLarge)
        case .newerFile: problem(.newerVersion)
        case .unreadable: problem(.unreadable)
        case .newerState, .tooManyFiles, .valueTooLarge, .tooMuch, .copiedState, .returned, .missingDirectory,
            .noFreeName:
            nil
        }
    }
}

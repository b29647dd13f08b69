/// A file in the shared directory, as it was found last.
struct SeenFile: Sendable {
    enum Content: Sendable {
        /// Something that is none of ours.
        case foreign
        /// A directory, a link or the like, under a name like ours.
        case noFile
        case replica(Summary)
        case tooLarge
        case newerVersion(Int)
        /// It is there, but not here: a syncer's placeholder.
        case placeholder
        case unreadable(SystemError)
    }

    /// What is kept of a replica's file after it was read.
    struct Summary: Sendable {
        var header: ReplicaHeader?
        var recordCount: Int
        var damagedLines: Int
        var isComplete: Bool
        /// What is too far in the future.
        var heldBack: [SharedRecord] = []
        /// For the own file: up to which of its own changes it certainly has what the replica knows; nil if it lacks some.
        var ownChanges: Int?
    }

    /// Nil if the file's state could not be told, or was changing: it is read again the next time.
    var status: FileStatus?
    var content: Content
    /// Whether it was read just now: it may be in the middle of arriving.
    var isFresh = true
    /// What of it was told in the diagnostics.
    var told: [ReplicaProblem] = []

    var summary: Summary? {
        if case .replica(let summary) = content { summary } else { nil }
    }

    /// What is to be told in the diagnostics: not of a file that may be complete in a moment.
    func settledProblems(named name: String) -> [ReplicaProblem] {
        problems(named: name).filter { problem in
            switch problem {
            case .damagedFile, .incompleteFile: !isFresh
            default: true
            }
        }
    }

    func problems(named name: String) -> [ReplicaProblem] {
        switch content {
        case .foreign, .noFile: return []
        case .unreadable(let error): return [.unreadable(name, error)]
        case .tooLarge: return [.tooLarge(name)]
        case .newerVersion(let version): return [.newerFile(name, version: version)]
        case .placeholder: return [.notDelivered(name)]
        case .replica(let summary):
            var problems: [ReplicaProblem] = []
            if summary.damagedLines > 0 {
                let intact = summary.recordCount + (summary.header == nil ? 0 : 1)
                problems.append(.damagedFile(name, intact: intact, damaged: summary.damagedLines))
            } else if let all = summary.header?.recordCount, !summary.isComplete {
                problems.append(.incompleteFile(name, present: summary.recordCount, all: all))
            }
            if !summary.heldBack.isEmpty {
                problems.append(.clockAhead(name, records: summary.heldBack.count))
            }
            return problems
        }
    }
}

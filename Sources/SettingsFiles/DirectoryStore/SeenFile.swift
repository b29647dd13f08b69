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
        var oversizedRecords: Int
        var isComplete: Bool
        /// How many records are too far in the future.
        var heldBackCount = 0
        /// The first of them of each epoch.
        var heldBack: [UInt32: Instant] = [:]
        /// How many records have an epoch that no replica can have reached.
        var refusedCount = 0
        /// For own files: what they have.
        var contents: PartContents?

        init(of file: ReplicaFile) {
            header = file.header
            recordCount = file.records.count
            damagedLines = file.damagedLines
            oversizedRecords = file.oversizedRecords
            isComplete = file.isComplete
        }

        mutating func note(_ outcome: SharedMerge.Outcome) {
            heldBackCount = outcome.heldBack.count
            for record in outcome.heldBack {
                let moment = record.entry.stamp.moment
                heldBack[moment.epoch] = min(heldBack[moment.epoch] ?? moment.instant, moment.instant)
            }
            refusedCount = outcome.refusedCount
        }

        /// Whether all records that were read were taken.
        var isWholeTaken: Bool { heldBackCount == 0 && refusedCount == 0 && oversizedRecords == 0 }

        /// Whether a record was held back that is accepted now.
        func isDue(_ now: Int64, _ accepted: AcceptedTimes) -> Bool {
            heldBack.contains { accepted.accepts(HybridMoment(epoch: $0.key, instant: $0.value), now: now) }
        }
    }

    /// Nil if the file's state could not be told, or was changing: it is read again the next time.
    var status: FileStatus?
    var content: Content
    /// Whether it was read just now: it may be in the middle of arriving.
    var isFresh = true

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

    /// Whether there is a problem that may be gone in a moment.
    func hasUnsettledProblems(named name: String) -> Bool {
        isFresh && problems(named: name).count > settledProblems(named: name).count
    }

    func problems(named name: String) -> [ReplicaProblem] {
        switch content {
        case .noFile: return []
        // It has the name of one of ours, so it may have been one.
        case .foreign: return ReplicaFileName.isLikely(name) ? [.damagedFile(name, intact: 0, damaged: 1)] : []
        case .unreadable(let error): return [.unreadable(name, error)]
        case .tooLarge: return [.tooLarge(name)]
        case .newerVersion(let version): return [.newerFile(name, version: version)]
        case .placeholder: return [.notDelivered(name)]
        case .replica(let summary):
            var problems: [ReplicaProblem] = []
            let damaged = summary.damagedLines + summary.refusedCount
            if damaged > 0 {
                let intact = summary.recordCount - summary.refusedCount + (summary.header == nil ? 0 : 1)
                problems.append(.damagedFile(name, intact: intact, damaged: damaged))
            } else if let all = summary.header?.recordCount, !summary.isComplete {
                let present = summary.recordCount + summary.oversizedRecords
                problems.append(.incompleteFile(name, present: present, all: all))
            }
            if summary.oversizedRecords > 0 {
                problems.append(.oversizedRecords(name, records: summary.oversizedRecords))
            }
            if summary.heldBackCount > 0 { problems.append(.clockAhead(name, records: summary.heldBackCount)) }
            return problems
        }
    }
}

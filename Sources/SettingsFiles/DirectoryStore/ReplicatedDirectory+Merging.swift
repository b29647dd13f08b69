import SettingsCore

/// Taking over what other replicas have written.
extension ReplicatedDirectory {
    /// Takes over what is in a file.
    ///
    /// - Returns: what is to be kept of it.
    func takeOver(
        _ file: ReplicaFile, _ name: String, _ seen: SeenFile, _ returning: inout [String: [SharedRecord]]
    ) throws -> SeenFile {
        let outcome = try merge(file.records)
        if !outcome.returning.isEmpty { returning[name] = outcome.returning }
        guard var summary = seen.summary else { return seen }
        summary.heldBack = outcome.heldBack
        if let own = tracker.memory, file.header?.replica == own.replica, name == ownFileName() {
            keepUnknownFields(of: file, own)
            summary.ownChanges = ownChanges(in: file)
        }
        var seen = seen
        seen.content = .replica(summary)
        return seen
    }

    /// Takes over what was held back in a file and is due now.
    func takeDue(_ name: String, _ seen: inout SeenFile, _ returning: inout [String: [SharedRecord]]) throws {
        guard var summary = seen.summary, !summary.heldBack.isEmpty else { return }
        let now = now()
        guard summary.heldBack.contains(where: { !HybridClock.isAhead($0.entry.stamp.instant, of: now) }) else {
            return
        }
        let outcome = try merge(summary.heldBack)
        if !outcome.returning.isEmpty { returning[name] = outcome.returning }
        summary.heldBack = outcome.heldBack
        seen.content = .replica(summary)
    }

    /// Stores what wins over what is known, as one change. If somebody else has written as this replica, it becomes another.
    @discardableResult
    private func merge(_ records: [SharedRecord]) throws -> SharedMerge.Outcome {
        var outcome = SharedMerge.Outcome()
        var isCopy = false
        try list.change(origin: .external) {
            guard var memory = tracker.memory else { return nil }
            let contents = list.contents.withLock { $0 }
            // It may have been found while the clock was ahead.
            let collected = min(memory.collected, horizon)
            let merge = SharedMerge(own: memory.replica, now: now(), collected: collected) { name in
                contents.data(named: name).flatMap { SharedEntry($0) }
            }
            outcome = merge.outcome(of: records)
            var changes = outcome.winners.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            isCopy = outcome.hasForeignWritesOfOwn
            if isCopy {
                memory.replica = .random()
                changes.append(JournalChange(name: ReplicaMemory.name, data: try memory.bytes))
            }
            return changes
        }
        if isCopy { tell([.copiedState]) }
        return outcome
    }

    /// Takes over values from before the removals that are remembered, unless one of the files that are there says that they
    /// were removed.
    func takeReturning(_ returning: [String: [SharedRecord]]) throws {
        guard !returning.isEmpty else { return }
        var removals: [String: SharedEntry] = [:]
        for record in try readAllRecords() ?? [] where record.entry.isTombstone {
            removals[record.name] = max(removals[record.name] ?? record.entry, record.entry)
        }
        for (file, records) in returning.sorted(by: { $0.key < $1.key }) {
            var count = 0
            try list.change(origin: .external) {
                let contents = list.contents.withLock { $0 }
                let winners = records.map { record in
                    SharedRecord(name: record.name, entry: max(record.entry, removals[record.name] ?? record.entry))
                }.filter { record in
                    guard let known = contents.data(named: record.name).flatMap({ SharedEntry($0) }) else {
                        return true
                    }
                    return known < record.entry
                }
                count = winners.count { !$0.entry.isTombstone }
                return winners.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            }
            if count > 0 { tell([.returned(file, records: count)]) }
        }
    }

    // MARK: The own file

    private func keepUnknownFields(of file: ReplicaFile, _ memory: ReplicaMemory) {
        guard let fields = file.header?.unknownFields, !fields.isEmpty, fields != memory.unknownFields else { return }
        do {
            try list.change {
                guard var memory = tracker.memory else { return nil }
                memory.unknownFields = fields
                return [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
            }
        } catch {
            // They are in the file still, and are kept the next time; until then it is not written, for the same reason.
        }
    }

    /// Up to which of its own changes a file has all that the replica knows; nil if something is missing.
    private func ownChanges(in file: ReplicaFile) -> Int? {
        guard file.isComplete, let own = tracker.memory?.replica else { return nil }
        let count = tracker.ownChanges
        var written: [String: SharedEntry] = [:]
        for record in file.records { written[record.name] = record.entry }
        for record in records() where record.entry.stamp.replica == own && written[record.name] != record.entry {
            return nil
        }
        return count
    }

    // MARK: Forgetting

    /// Forgets removals that are so old that every replica must know of them, once a day.
    ///
    /// One of which a file is there that still has the value, written by a device that was away for long, is remembered; and
    /// nothing is forgotten while a file cannot be read.
    func collectTombstones() throws {
        let horizon = horizon
        func isOld(_ record: SharedRecord) -> Bool {
            record.entry.isTombstone && record.entry.stamp.instant.milliseconds < horizon
        }
        guard table.withLock({ $0.collectionPause?.hasPassed ?? true }) else { return }
        guard records().contains(where: isOld) else { return waitForCollection() }
        guard let written = try readAllRecords() else { return }
        let contradicted = Set(written.lazy.filter { !$0.entry.isTombstone }.map(\.name))
        try list.change {
            guard var memory = tracker.memory else { return nil }
            let forgotten = records().filter { isOld($0) && !contradicted.contains($0.name) }
            guard !forgotten.isEmpty else { return [] }
            memory.collected = max(memory.collected, horizon)
            return forgotten.map { JournalChange(name: $0.name, data: nil) }
                + [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
        }
        waitForCollection()
    }

    /// Removals before this time, in milliseconds since 1970, need not be remembered.
    private var horizon: Int64 {
        let retention = min(max(options.tombstoneRetention / .milliseconds(1), 0), Double(Instant.latestMilliseconds))
        return now() - Int64(retention)
    }

    private func waitForCollection() {
        table.withLock { $0.collectionPause = Deadline(after: .seconds(86_400)) }
    }
}

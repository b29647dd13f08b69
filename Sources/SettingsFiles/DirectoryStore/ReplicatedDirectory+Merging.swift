import SettingsCore

/// Taking over what other replicas have written.
extension ReplicatedDirectory {
    /// Takes over what is in a file.
    ///
    /// - Returns: what is to be kept of it.
    func takeOver(_ file: ReplicaFile, _ name: String) throws -> SeenFile.Summary {
        let outcome = try merge(file.records)
        try takeReturning(outcome.returning, name)
        var summary = SeenFile.Summary(of: file)
        summary.latest = outcome.latest
        summary.heldBackCount = outcome.heldBack.count
        summary.due = outcome.heldBack.map { $0.entry.stamp.instant.milliseconds - HybridClock.tolerance }.min()
        if file.header?.replica == tracker.memory.replica, name == ownFileName() {
            keepUnknownFields(of: file)
        }
        return summary
    }

    /// Stores what wins over what is known, as one change. If somebody else has written as this replica, it becomes another.
    private func merge(_ records: [SharedRecord]) throws -> SharedMerge.Outcome {
        var outcome = SharedMerge.Outcome()
        try list.change(origin: .external) {
            var memory = tracker.memory
            let contents = list.contents.withLock { $0 }
            // It may have been found while the clock was ahead.
            let collected = min(memory.collected, horizon)
            let merge = SharedMerge(own: memory.replica, now: now(), collected: collected) { name in
                contents.data(named: name).flatMap { SharedEntry($0) }
            }
            outcome = merge.outcome(of: records)
            var changes = outcome.winners.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            if outcome.hasForeignWritesOfOwn {
                memory.replica = .random()
                changes.append(JournalChange(name: ReplicaMemory.name, data: try memory.bytes))
            }
            return changes
        }
        if outcome.hasForeignWritesOfOwn { tell([.copiedState]) }
        return outcome
    }

    /// Takes over values from before the removals that are remembered, unless one of the files that are there says that they
    /// were removed.
    private func takeReturning(_ records: [SharedRecord], _ file: String) throws {
        guard !records.isEmpty else { return }
        var latest: [String: SharedEntry] = [:]
        for record in records { latest[record.name] = max(latest[record.name] ?? record.entry, record.entry) }
        _ = try readAllRecords { record in
            guard record.entry.isTombstone, let entry = latest[record.name] else { return }
            latest[record.name] = max(entry, record.entry)
        }
        var count = 0
        try list.change(origin: .external) {
            let contents = list.contents.withLock { $0 }
            let winners = latest.filter { name, entry in
                guard let known = contents.data(named: name).flatMap({ SharedEntry($0) }) else { return true }
                return known < entry
            }
            count = winners.values.count { !$0.isTombstone }
            return winners.map { JournalChange(name: $0.key, data: $0.value.bytes) }
        }
        if count > 0 { tell([.returned(file, records: count)]) }
    }

    // MARK: The own file

    private func keepUnknownFields(of file: ReplicaFile) {
        guard let fields = file.header?.unknownFields, !fields.isEmpty, fields != tracker.memory.unknownFields else {
            return
        }
        do {
            try list.change {
                var memory = tracker.memory
                memory.unknownFields = fields
                return [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
            }
        } catch {
            // They are in the file still, and are kept the next time; until then it is not written, for the same reason.
        }
    }

    // MARK: Forgetting

    /// Forgets removals that are so old that every replica must know of them, once a day.
    ///
    /// One of which a file is there that still has the value, written by a device that was away for long, is remembered; and
    /// nothing is forgotten while a file cannot be read.
    func collectTombstones() throws {
        guard table.withLock({ $0.collectionPause?.hasPassed ?? true }) else { return }
        // Also if it cannot be done now: it means reading all files.
        table.withLock { $0.collectionPause = Deadline(after: .seconds(3_600)) }
        let horizon = confirmedHorizon
        func isOld(_ record: SharedRecord) -> Bool {
            record.entry.isTombstone && record.entry.stamp.instant.milliseconds < horizon
        }
        var names = Set(records().lazy.filter(isOld).map(\.name))
        if !names.isEmpty {
            let isWhole = try readAllRecords { record in
                if !record.entry.isTombstone { names.remove(record.name) }
            }
            guard isWhole else { return }
            try list.change {
                var memory = tracker.memory
                let forgotten = records().filter { isOld($0) && names.contains($0.name) }
                guard !forgotten.isEmpty else { return [] }
                memory.collected = max(memory.collected, horizon)
                return forgotten.map { JournalChange(name: $0.name, data: nil) }
                    + [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
            }
        }
        table.withLock { $0.collectionPause = Deadline(after: .seconds(86_400)) }
    }

    /// Removals before this time, in milliseconds since 1970, need not be remembered.
    private var horizon: Int64 {
        let retention = min(max(options.tombstoneRetention / .milliseconds(1), 0), Double(Instant.latestMilliseconds))
        return now() - Int64(retention)
    }

    /// The same, if the own clock is not ahead of all others': what was forgotten too early is gone.
    private var confirmedHorizon: Int64 {
        let now = now()
        guard let latest = othersHeaders.map(\.written).max() else { return horizon }
        return horizon - max(0, now - latest)
    }

    /// The first lines of the files that others have written.
    var othersHeaders: [ReplicaHeader] {
        let own = tracker.memory.replica
        return table.withLock { $0.files.values.compactMap { $0.summary?.header } }.filter { $0.replica != own }
    }
}

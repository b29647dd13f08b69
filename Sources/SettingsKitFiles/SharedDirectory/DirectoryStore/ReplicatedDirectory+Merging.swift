import SettingsKitCore

/// Merges the files of other replicas.
extension ReplicatedDirectory {
    /// Adopts the records of a file.
    ///
    /// - Returns: the file's summary.
    func adopt(_ file: ReplicaFile, _ name: String) throws -> SeenFile.Summary {
        let outcome = try merge(file)
        try adoptReturning(outcome.returning, name)
        var summary = SeenFile.Summary(of: file)
        summary.record(outcome)
        summary.recordLatest(of: file)
        if isOwn(file, named: name) {
            if file.header?.part == 0 { keepUnknownFields(of: file) }
            summary.contents = PartContents(file.records)
        }
        return summary
    }

    /// Stores the records that win, as one change. If another replica has written with this one's ID, takes a new ID.
    private func merge(_ file: ReplicaFile) throws -> SharedMerge.Outcome {
        var outcome = SharedMerge.Outcome()
        try list.change(origin: .external) {
            let old = tracker.memory
            var memory = old
            let contents = list.contents.withLock { $0 }
            let now = now()
            let lastEpoch = tracker.lastEpoch
            var accepted = accepted(now: now)
            if let header = file.header { accepted.join(header.accepted, now: now, last: lastEpoch) }
            let merge = SharedMerge(
                own: memory.replica, now: now, accepted: accepted, lastEpoch: lastEpoch, collected: memory.collected
            ) { name in
                contents.data(named: name).flatMap { SharedEntry($0) }
            }
            outcome = merge.outcome(of: file.records)
            if isReadOnly { outcome.hasForeignWritesOfOwn = false }
            if outcome.hasForeignWritesOfOwn {
                // The replica has all of its changes under the old ID.
                if let last = tracker.lastOwn { memory.heard.raise(memory.replica, to: last) }
                memory.replica = .random()
            }
            var changes = outcome.winners.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            if memory != old { changes.append(JournalChange(name: ReplicaMemory.name, data: try memory.bytes)) }
            return changes
        }
        if outcome.hasForeignWritesOfOwn { diagnose([.copiedState]) }
        return outcome
    }

    // MARK: The memory

    /// Vouches for entries in the state that are ahead of the machine's clock, and raises the heard moments by the
    /// heads that are complete.
    func updateMemory() throws {
        let own = tracker.memory.replica
        let summaries = table.withLock { $0.summaries }
        // A skipped record of such a replica may have replaced any other record.
        let partlyMerged = Set(summaries.values.filter { !$0.isWhollyMerged }.compactMap(\.header?.replica))
        let heads = ReplicaParts(summaries).heads.filter { head in
            head.isComplete && head.header.replica != own && !partlyMerged.contains(head.header.replica)
        }
        let present = Set(summaries.values.compactMap(\.header?.replica))
        let (known, lastEpoch) = (latestChanges(summaries, heard: heads.map(\.header.heard)), tracker.lastEpoch)
        func updated(_ memory: ReplicaMemory) -> ReplicaMemory {
            var memory = memory
            memory.record(present: present, now: now())
            memory.accepted = tracker.vouched(now: now())
            if let last = tracker.lastOwn { memory.heard.raise(memory.replica, to: last) }
            for header in heads.map(\.header) {
                memory.heard.join(header.heard, own: memory.replica, known: known, lastEpoch: lastEpoch)
            }
            memory.lowerHeard(to: known, present: present)
            return memory
        }
        let memory = tracker.memory
        guard updated(memory) != memory else { return }
        try list.change {
            let old = tracker.memory
            let new = updated(old)
            return old == new ? [] : [JournalChange(name: ReplicaMemory.name, data: try new.bytes)]
        }
    }

    /// Returns the latest known change of each replica: in the directory's files, or in the state if a later one was heard.
    /// Linear time.
    private func latestChanges(_ summaries: [String: SeenFile.Summary], heard: [HeardMoments]) -> HeardMoments {
        var latest = HeardMoments()
        for summary in summaries.values { latest.join(summary.latest) }
        if let last = tracker.lastOwn { latest.raise(tracker.memory.replica, to: last) }
        if (heard + [tracker.memory.heard]).allSatisfy({ latest.covers($0) }) { return latest }
        let contents = list.contents.withLock { $0 }
        for name in contents.names where SettingsService.StorageKey.isValid(name) {
            guard let stamp = contents.data(named: name).flatMap({ SharedEntry.stamp(in: $0) }) else { continue }
            latest.raise(stamp.replica, to: stamp.moment)
        }
        return latest
    }

    /// Adopts values that are older than a forgotten removal, unless a file in the directory has their removal.
    private func adoptReturning(_ records: [SharedRecord], _ file: String) throws {
        guard !records.isEmpty else { return }
        var latest: [String: SharedEntry] = [:]
        for record in records { latest[record.name] = max(latest[record.name] ?? record.entry, record.entry) }
        _ = try readAllRecords { _, record in
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
            // Imported values are not really old, and a recent value's device was not away for long.
            count = winners.values.count {
                !$0.isTombstone && $0.stamp.moment != .earliest && isOld($0.stamp)
            }
            return winners.map { JournalChange(name: $0.key, data: $0.value.bytes) }
        }
        if count > 0 { diagnose([.returned(file, records: count)]) }
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
            // The state cannot be written, so the own file is not written either: it still has the fields, and the next reading
            // keeps them.
        }
    }
}

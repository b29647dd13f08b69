import SettingsCore

/// Forgets removals.
extension ReplicatedDirectory {
    /// Forgets removals that are old and that every other replica has heard, once a day.
    ///
    /// No removal is forgotten while a file is incomplete or cannot be read. A removal is also kept while any file has
    /// a value for its setting, for example a copy that a syncer has made.
    func collectTombstones() throws {
        guard table.withLock({ $0.collectionPause?.hasPassed ?? true }) else { return }
        // Also if removals cannot be forgotten now, because an attempt reads all files.
        table.withLock { $0.collectionPause = Deadline(after: .seconds(3_600)) }
        let old = records().filter { $0.entry.isTombstone && isOld($0.entry.stamp) }
        var held = HeldRemovals(old)
        if !old.isEmpty {
            let parts = ReplicaParts(table.withLock { $0.summaries })
            let files = parts.newest.mapValues(\.file).merging(parts.headless, uniquingKeysWith: { head, _ in head })
            for (replica, file) in files where replica != tracker.memory.replica {
                let headers = parts.heads.map(\.header).filter { $0.replica == replica }
                // All heads of the replica count, also older ones: what it has heard stays true.
                held.note(headers.reduce(into: HeardMoments()) { $0.join($1.heard) }, in: file)
            }
            let isWhole = try readAllRecords { name, record in held.note(record, in: name) }
            let counts = held.counts
            // A superseded value in an own part would come back after its removal was forgotten.
            let isInOwnPart = ownFiles()?.contains { $0.seen != nil && counts[$0.name] != nil } ?? false
            table.withLock { table in
                table.heldRemovals = counts
                if isInOwnPart { table.mustCompact = true }
            }
            guard isWhole else { return }
            try forget(old.filter { !held.isHeld($0) })
        }
        table.withLock { $0.collectionPause = Deadline(after: .seconds(86_400)) }
    }

    private func forget(_ removals: [SharedRecord]) throws {
        guard !removals.isEmpty else { return }
        try list.change {
            let contents = list.contents.withLock { $0 }
            // Only removals that are still the latest change.
            let forgotten = removals.filter { removal in
                contents.data(named: removal.name).flatMap { SharedEntry.stamp(in: $0) } == removal.entry.stamp
            }
            guard let last = forgotten.map(\.entry.stamp.moment).max() else { return [] }
            var memory = tracker.memory
            memory.collected = max(memory.collected ?? last, last)
            return forgotten.map { JournalChange(name: $0.name, data: nil) }
                + [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
        }
    }

    /// Whether a change is older than the retention of removals.
    func isOld(_ stamp: Stamp) -> Bool { stamp.moment.instant.milliseconds < horizon }

    /// The time before which removals may be forgotten and files count as abandoned, in milliseconds since 1970.
    var horizon: Int64 {
        let retention = min(max(options.tombstoneRetention / .milliseconds(1), 0), Double(Instant.latestMilliseconds))
        return now() - Int64(retention)
    }
}

/// Old removals that have to be kept, and the files that are the reason.
struct HeldRemovals: Sendable {
    /// The removals' stamps, by the settings' names.
    private let removals: [String: Stamp]
    /// The names of the settings whose removals have to be kept, by file.
    private var names: [String: Set<String>] = [:]

    init(_ removals: [SharedRecord]) {
        self.removals = Dictionary(
            removals.map { ($0.name, $0.entry.stamp) }, uniquingKeysWith: { first, _ in first })
    }

    /// Keeps removals that the writer of a file has not heard.
    mutating func note(_ heard: HeardMoments, in file: String) {
        for (name, stamp) in removals where !heard.covers(stamp) { names[file, default: []].insert(name) }
    }

    /// Keeps the removal of a setting that has a value in a file.
    mutating func note(_ record: SharedRecord, in file: String) {
        guard !record.entry.isTombstone, removals[record.name] != nil else { return }
        names[file, default: []].insert(record.name)
    }

    /// Whether a removal has to be kept.
    func isHeld(_ removal: SharedRecord) -> Bool { names.values.contains { $0.contains(removal.name) } }

    /// The number of removals that have to be kept because of each file.
    var counts: [String: Int] { names.mapValues(\.count) }
}

import SettingsKitCore
import SettingsKitPlatform

/// Forgets removals.
extension ReplicatedDirectory {
    /// Forgets old removals that every other replica has heard, once a day.
    ///
    /// A removal is kept while a file still has the value, which may be a syncer's copy, and while a file cannot be read. Nothing
    /// is forgotten if the directory has lost all files of other replicas, nor for the retention time after files of a replica
    /// have disappeared: the volume may not be mounted, or the syncer may not have brought the files yet.
    func collectTombstones() throws {
        guard table.withLock({ $0.collectionPause?.hasPassed ?? true }) else { return }
        // Set even if removals cannot be forgotten now, because an attempt reads all files.
        table.withLock { $0.collectionPause = Deadline(after: DirectoryTimings.forgettingPause) }
        let old = records().filter { $0.entry.isTombstone && isOld($0.entry.stamp) }
        var held = HeldRemovals(old)
        if !old.isEmpty {
            let parts = ReplicaParts(table.withLock { $0.summaries })
            held.hold(unheardIn: parts, besides: tracker.memory.replica, since: leastWritten)
            // All files are read only if every replica has heard a removal.
            if isDirectorySettled, !old.allSatisfy({ held.isHeld($0) }) {
                let isWhole = try readAllRecords { name, record in held.hold(record, in: name) }
                publishHeldRemovals(held)
                guard isWhole else { return }
                let horizon = horizon
                try forget(
                    old.filter { !held.isHeld($0) && $0.entry.stamp.moment.instant.milliseconds < horizon })
            }
        }
        publishHeldRemovals(held)
        table.withLock { $0.collectionPause = Deadline(after: DirectoryTimings.forgettingInterval) }
    }

    /// Whether no files of a replica have disappeared within the retention time of removals.
    private var isDirectorySettled: Bool { tracker.memory.lastLoss.map { $0 < horizon } ?? true }

    private func publishHeldRemovals(_ held: HeldRemovals) {
        let counts = held.counts
        // A value that a removal has replaced must not come back from an own part.
        let isInOwnPart = ownFiles()?.contains { $0.seen != nil && counts[$0.name] != nil } ?? false
        table.withLock { table in
            table.heldRemovals = counts
            if isInOwnPart { table.mustCompact = true }
        }
    }

    private func forget(_ removals: [SharedRecord]) throws {
        guard !removals.isEmpty, !isReadOnly else { return }
        try list.change {
            let contents = list.contents.withLock { $0 }
            // Only removals that are still the latest change may be forgotten.
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

    /// Whether a change with this stamp is older than the retention time of removals.
    func isOld(_ stamp: Stamp) -> Bool { stamp.moment.instant.milliseconds < leastWritten }

    /// The time before which removals need not be remembered, in milliseconds since 1970. If the machine's clock is ahead of all
    /// times of other replicas, the latest of theirs counts: a removal must not be forgotten too early.
    private var horizon: Int64 {
        let own = tracker.memory.replica
        let others = table.withLock { $0.files.values.compactMap { $0.summary?.header } }.filter { $0.replica != own }
        let now = now()
        return min(now, others.map(\.written).max() ?? now) - retention
    }

    /// The time since which a replica must have written for its device to count as used, in milliseconds since 1970.
    var leastWritten: Int64 { now() - retention }

    private var retention: Int64 {
        Int64(min(max(options.tombstoneRetention / .milliseconds(1), 0), Double(Instant.latestMilliseconds)))
    }
}

/// Old removals that must be kept, and the files that require it.
struct HeldRemovals: Sendable {
    /// The removals' stamps, by the settings' names.
    private let removals: [String: Stamp]
    /// The names of the settings whose removals must be kept, by file.
    private var names: [String: Set<String>] = [:]

    init(_ removals: [SharedRecord]) {
        self.removals = Dictionary(
            removals.map { ($0.name, $0.entry.stamp) }, uniquingKeysWith: { first, _ in first })
    }

    /// Holds the removals that another replica has not heard. A replica without a head counts while it is used.
    mutating func hold(unheardIn parts: ReplicaParts, besides own: ReplicaID, since time: Int64) {
        let headless = parts.headless.filter { $0.value.written >= time }.mapValues(\.file)
        let files = parts.newest.mapValues(\.file).merging(headless, uniquingKeysWith: { head, _ in head })
        for (replica, file) in files where replica != own {
            // All heads of the replica count, including older ones: a heard removal stays heard.
            let headers = parts.heads.map(\.header).filter { $0.replica == replica }
            hold(unheardBy: headers.reduce(into: HeardMoments()) { $0.join($1.heard) }, in: file)
        }
    }

    /// Holds the removals that the writer of a file has not heard.
    mutating func hold(unheardBy heard: HeardMoments, in file: String) {
        for (name, stamp) in removals where !heard.covers(stamp) { names[file, default: []].insert(name) }
    }

    /// Holds the removal of a setting that has a value in a file.
    mutating func hold(_ record: SharedRecord, in file: String) {
        guard !record.entry.isTombstone, removals[record.name] != nil else { return }
        names[file, default: []].insert(record.name)
    }

    /// Whether a removal must be kept.
    func isHeld(_ removal: SharedRecord) -> Bool { names.values.contains { $0.contains(removal.name) } }

    /// The number of held removals for each file.
    var counts: [String: Int] { names.mapValues(\.count) }
}

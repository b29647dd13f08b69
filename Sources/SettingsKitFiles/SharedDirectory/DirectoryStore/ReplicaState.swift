import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The local state of a replica: a property list with a journal. For each name it has an entry, a value or a removal, with its
/// stamp; the empty name has the replica's memory.
///
/// All decisions are made while the journal is locked, so processes with one state act as one. Nothing here touches the shared
/// directory.
final class ReplicaState: Sendable {
    let list: JournaledPropertyList
    /// Whether the state is only read. Merged settings then exist in memory only.
    let isReadOnly: Bool
    /// Whether this object began the replica.
    let isNew: Bool
    /// Returns the machine's time in milliseconds since 1970, limited to the years 1970 to 9999.
    let now: @Sendable () -> Int64
    private let tracker = ReplicaTracker()
    /// How long removals are remembered, in milliseconds.
    let retention: Int64

    init(
        at location: DirectoryLocation, fileSystem: any FileSystem, options: DirectoryStore.Options,
        access: SettingsStoreAccess, limits: PropertyListStoreLimits, isWatching: Bool,
        now: @escaping @Sendable () -> Int64
    ) throws {
        isReadOnly = access == .readOnly
        self.now = { min(max(now(), 0), Instant.latestMilliseconds) }
        retention = Int64(
            min(max(options.tombstoneRetention / .milliseconds(1), 0), Double(Instant.latestMilliseconds)))
        let tracker = tracker
        var setup = PropertyListSetup(path: location.statePath, fileSystem: fileSystem)
        setup.description = "DirectoryStore at \(location.directory)"
        (setup.isWatching, setup.limits, setup.patience) = (isWatching, limits, options.patience)
        setup.writingDelay = isWatching ? DirectoryTimings.stateWritingDelay : .seconds(86_400)
        setup.isDetached = access == .readOnly
        setup.presentation = { changes in tracker.present(changes) }
        list = try JournaledPropertyList(setup)
        do {
            isNew = try Self.beginReplica(list, tracker)
        } catch {
            throw SettingsError(.storeUnavailable, store: list.description, underlying: error)
        }
    }

    /// Reads the replica's memory from the state, or begins a new replica, which is the only reason to wait for other processes.
    ///
    /// - Returns: whether the replica is new.
    private static func beginReplica(_ list: JournaledPropertyList, _ tracker: ReplicaTracker) throws -> Bool {
        func isKnown(in contents: PropertyListContents) throws -> Bool {
            guard let bytes = contents.data(named: ReplicaMemory.name), let memory = try ReplicaMemory(bytes) else {
                return false
            }
            tracker.begin(memory: memory, records: contents.sharedRecords)
            return true
        }
        if try isKnown(in: list.contents.withLock { $0 }) {
            do {
                // Whether the state can be written.
                try list.change(waiting: .zero) { [] }
            } catch SettingsError.Code.busy {
                // Another process writes it now.
            }
            return false
        }
        var isNew = false
        try list.change {
            let contents = list.contents.withLock { $0 }
            isNew = try !isKnown(in: contents)
            guard isNew else { return [] }
            let memory = ReplicaMemory(replica: .random())
            tracker.begin(memory: memory, records: contents.sharedRecords)
            return [try memory.change]
        }
        return isNew
    }

    /// Reports a problem to the feed.
    func report(_ problem: ReplicaProblem) {
        list.feed.report(SettingsError(problem.code, store: list.description, underlying: problem))
    }

    /// Reports to the feed that the directory cannot be read or written.
    func reportNotExported(_ error: any Error) {
        list.feed.report(.wrap(error, as: .notExported, store: list.description))
    }

    // MARK: The replica

    /// The replica's own data.
    var memory: ReplicaMemory { tracker.memory }
    /// The number of changes that the replica must share with others.
    var changes: ReplicaTracker.Changes { tracker.changes }
    /// The number of times that the state has returned to an earlier one, as when a backup of it was restored.
    var reversals: Int { tracker.reversals }
    /// The latest credible epoch. Later ones are damage.
    var lastEpoch: UInt32 { tracker.lastEpoch }
    /// Whether the replica vouches for entries that its memory does not list, or no longer has to.
    var mustVouch: Bool { tracker.vouched(now: now()) != tracker.memory.accepted }

    /// The time since which a replica must have written for its device to count as used, in milliseconds since 1970. Older
    /// removals need not be remembered.
    var leastWritten: Int64 { now() - retention }

    /// Changes the replica's memory.
    ///
    /// - Parameter change: Called once more if there is something to change, while nothing else can change the memory.
    func changeMemory(_ change: (inout ReplicaMemory) throws -> Void) throws {
        func changed() throws -> ReplicaMemory? {
            let old = tracker.memory
            var memory = old
            try change(&memory)
            return memory == old ? nil : memory
        }
        if try changed() == nil { return }
        try list.change {
            try changed().map { [try $0.change] } ?? []
        }
    }

    // MARK: Reading

    /// Returns the bytes that are stored for a name, or nil if there is no value.
    func value(named name: String) -> Data? {
        list.contents.withLock { contents in Self.storedValue(named: name, in: contents) }
    }

    /// Whether expectations hold for the stored values, at one moment.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool {
        list.contents.withLock { contents in expectations.hold { Self.storedValue(named: $0, in: contents) } }
    }

    /// The names that have a value. Linear time.
    var names: [String] {
        contents.sharedRecords.filter { !$0.entry.isTombstone }.map(\.name)
    }

    /// The stored entries and the replica's memory, at one moment.
    var contents: PropertyListContents { list.contents.withLock { $0 } }

    // MARK: Changing

    /// Stores bytes under a key, or removes it.
    ///
    /// - Throws: `busy` if another process keeps the state locked.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        try requireSize(key.name, data)
        try list.change(named: key.name, waiting: list.files.patienceOfSet) { present in
            guard !SharedEntry.isValue(data, in: present) else { return .keep }
            return .store(stamped(data))
        }
    }

    /// Applies a batch if its expectations hold.
    ///
    /// - Throws: `busy` if another process keeps the state locked.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try change { contents in
            guard batch.expectations.hold(for: { Self.storedValue(named: $0, in: contents) }) else { return nil }
            return batch.writes.map { ($0.key.name, $0.data) }
        }
    }

    /// Removes all values.
    func removeAll() throws {
        try change { contents in contents.sharedRecords.map { ($0.name, nil) } }
    }

    /// Imports values for names that have neither a value nor a remembered removal. They count as older than every
    /// change.
    ///
    /// - Returns: the number of imported values.
    func importValues(_ values: [(name: String, data: Data)]) throws -> Int {
        for (name, data) in values { try requireSize(name, data) }
        var count = 0
        try change(at: .earliest) { contents in
            let new = values.filter { contents.data(named: $0.name) == nil }
            count = new.count
            return new.map { ($0.name, $0.data) }
        }
        return count
    }

    /// Sets the values that `decide` returns, if they differ from the stored ones.
    ///
    /// - Parameter moment: The moment of the changes. Nil for a new one for each change.
    @discardableResult
    private func change(
        at moment: HybridMoment? = nil,
        _ decide: (PropertyListContents) throws -> [(name: String, data: Data?)]?
    ) throws -> Bool {
        try list.change {
            let contents = contents
            guard let values = try decide(contents) else { return nil }
            var changes: [JournalChange] = []
            // The last value of a repeated name counts.
            var taken: Set<String> = []
            for (name, data) in values.reversed() where taken.insert(name).inserted {
                guard Self.storedValue(named: name, in: contents) != data else { continue }
                try requireSize(name, data)
                changes.append(JournalChange(name: name, data: stamped(data, at: moment)))
            }
            return changes
        }
    }

    /// Returns the bytes of an entry for a change of this replica.
    ///
    /// - Parameter moment: The moment of the change. Nil for now, which requires the lock of the journal.
    private func stamped(_ data: Data?, at moment: HybridMoment? = nil) -> Data {
        let stamp = moment.map { Stamp($0, by: tracker.memory.replica) } ?? tracker.nextStamp(now: now())
        return SharedEntry(stamp: stamp, value: data).bytes
    }

    private static func storedValue(named name: String, in contents: PropertyListContents) -> Data? {
        contents.data(named: name).flatMap { SharedEntry.value(in: $0) }
    }

    private func requireSize(_ name: String, _ data: Data?) throws {
        guard data?.count ?? 0 <= DirectoryLimits.value, name.utf8.count <= DirectoryLimits.name else {
            throw SettingsError(.writeFailed, store: list.description, underlying: ReplicaProblem.valueTooLarge)
        }
    }

    // MARK: Merging

    /// Stores the records that win, as one change. If another replica has written with this one's ID, takes a new ID.
    ///
    /// - Parameter accepted: Returns the times up to which entries are accepted at a time.
    func merge(_ records: [SharedRecord], accepting accepted: (_ now: Int64) -> AcceptedTimes) throws
        -> SharedMerge.Outcome
    {
        var outcome = SharedMerge.Outcome()
        try list.change(origin: .external) {
            let old = tracker.memory
            var memory = old
            let contents = contents
            let now = now()
            let merge = SharedMerge(
                own: memory.replica, now: now, accepted: accepted(now), lastEpoch: tracker.lastEpoch,
                collected: memory.collected
            ) { contents.sharedEntry(named: $0) }
            outcome = merge.outcome(of: records)
            if isReadOnly { outcome.hasForeignWritesOfOwn = false }
            if outcome.hasForeignWritesOfOwn {
                // The replica has all of its changes under the old ID.
                if let last = tracker.lastOwn { memory.heard.raise(memory.replica, to: last) }
                memory.replica = .random()
            }
            var changes = outcome.winners.map { JournalChange(name: $0.name, data: $0.entry.bytes) }
            if memory != old { changes.append(try memory.change) }
            return changes
        }
        if outcome.hasForeignWritesOfOwn { report(.copiedState) }
        return outcome
    }

    /// Stores entries that are later than the stored ones, or have none.
    ///
    /// - Returns: the number of values among them that are older than the retention time.
    func adopt(returning entries: [String: SharedEntry]) throws -> Int {
        var count = 0
        try list.change(origin: .external) {
            let contents = contents
            let winners = entries.filter { name, entry in
                contents.sharedEntry(named: name).map { $0 < entry } ?? true
            }
            // Imported values are not really old, and a recent value's device was not away for long.
            count = winners.values.count {
                !$0.isTombstone && $0.stamp.moment != .earliest && $0.stamp.moment.instant.milliseconds < leastWritten
            }
            return winners.map { JournalChange(name: $0.key, data: $0.value.bytes) }
        }
        return count
    }

    /// Vouches for entries in the state that are ahead of the machine's clock, and raises the heard moments by the
    /// heads that are complete.
    func updateMemory(for summaries: [String: SeenFile.Summary]) throws {
        let own = tracker.memory.replica
        // A skipped record of such a replica may have replaced any other record.
        let partlyMerged = Set(summaries.values.filter { !$0.isWhollyMerged }.compactMap(\.header?.replica))
        let heads = ReplicaParts(summaries).heads.filter { head in
            head.isComplete && head.header.replica != own && !partlyMerged.contains(head.header.replica)
        }
        let present = Set(summaries.values.compactMap(\.header?.replica))
        let (known, lastEpoch) = (latestChanges(summaries, heard: heads.map(\.header.heard)), tracker.lastEpoch)
        try changeMemory { memory in
            memory.record(present: present, now: now())
            memory.accepted = tracker.vouched(now: now())
            if let last = tracker.lastOwn { memory.heard.raise(memory.replica, to: last) }
            for header in heads.map(\.header) {
                memory.heard.join(header.heard, own: memory.replica, known: known, lastEpoch: lastEpoch)
            }
            memory.lowerHeard(to: known, present: present)
        }
    }

    /// Returns the latest known change of each replica: in the directory's files, or in the state if a later one was heard.
    /// Linear time.
    private func latestChanges(_ summaries: [String: SeenFile.Summary], heard: [HeardMoments]) -> HeardMoments {
        var latest = HeardMoments()
        for summary in summaries.values { latest.join(summary.latest) }
        if let last = tracker.lastOwn { latest.raise(tracker.memory.replica, to: last) }
        if (heard + [tracker.memory.heard]).allSatisfy({ latest.covers($0) }) { return latest }
        for (_, bytes) in contents.sharedEntries {
            if let stamp = SharedEntry.stamp(in: bytes) { latest.raise(stamp.replica, to: stamp.moment) }
        }
        return latest
    }

    /// Forgets those of some removals that are still the latest change.
    func forget(_ removals: [SharedRecord]) throws {
        guard !removals.isEmpty, !isReadOnly else { return }
        try list.change {
            let contents = contents
            let forgotten = removals.filter { removal in
                contents.data(named: removal.name).flatMap { SharedEntry.stamp(in: $0) } == removal.entry.stamp
            }
            guard let last = forgotten.map(\.entry.stamp.moment).max() else { return [] }
            var memory = tracker.memory
            memory.collected = max(memory.collected ?? last, last)
            return forgotten.map { JournalChange(name: $0.name, data: nil) }
                + [try memory.change]
        }
    }
}

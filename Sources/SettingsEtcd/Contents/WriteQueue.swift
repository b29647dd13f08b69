import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The writes that the cluster has not agreed on yet, in order. Pure: no clock, no network.
struct WriteQueue {
    private(set) var entries: [QueuedWrite] = []
    private var lastID: QueuedWrite.ID = 0
    /// The last write of earlier runs, which may have been applied.
    private var lastEarlier: QueuedWrite.ID = 0
    private var tail = QueueTail()
    /// The write that another one is about to replace.
    private var replaced: QueuedWrite.ID?
    private var unstored = Unstored()

    /// The accepted writes that the local file has in another state than the queue.
    struct Unstored {
        /// The writes that have ended.
        var ended: Set<QueuedWrite.ID> = []
        /// The writes with other bases.
        var rebased: Set<QueuedWrite.ID> = []
    }

    /// - Parameter earlier: The accepted writes of earlier runs.
    init(_ earlier: [QueuedWrite] = []) {
        for write in earlier { append(write) }
        lastEarlier = lastID
    }

    var hasAccepted: Bool { entries.contains(where: \.isAccepted) }

    mutating func makeID() -> QueuedWrite.ID {
        lastID += 1
        return lastID
    }

    /// Adds the newest write.
    ///
    /// - Parameter isRebased: Whether the bases differ from the stored ones.
    mutating func append(_ entry: QueuedWrite, isRebased: Bool = false) {
        lastID = max(lastID, entry.id)
        if entries.isEmpty { tail = QueueTail() }
        entries.append(entry)
        tail.append(entry, sizeLimit: EtcdLimits.tail)
        if isRebased { unstored.rebased.insert(entry.id) }
    }

    /// Adds a write before all others, which are newer.
    mutating func prepend(_ entry: QueuedWrite) { entries.insert(entry, at: 0) }

    mutating func remove(_ id: QueuedWrite.ID) -> QueuedWrite? { remove([id]).first }

    /// - Returns: The removed writes, in order.
    private mutating func remove(_ ids: Set<QueuedWrite.ID>) -> [QueuedWrite] {
        let removed = entries.filter { ids.contains($0.id) }
        entries.removeAll { ids.contains($0.id) }
        unstored.ended.formUnion(removed.lazy.filter(\.isAccepted).map(\.id))
        return removed
    }

    /// The last accepted values of some names that wait for a cluster, or for any.
    func waitingValues(of names: Set<String>, for cluster: UInt64) -> [String: Data?] {
        var values: [String: Data?] = [:]
        for entry in entries.reversed() where entry.isAccepted && (entry.cluster == 0 || entry.cluster == cluster) {
            for (name, data) in entry.writes where names.contains(name) && values[name] == nil {
                values[name] = .some(data)
            }
            if values.count == names.count { break }
        }
        return values
    }

    // MARK: Replacing

    /// Finds the write that an accepted one can replace, because both wait for the same transaction: it stores the same name over
    /// the same state, and was certainly never sent. Until ``endReplacing(by:)``, it is neither sent nor stored.
    ///
    /// - Parameter sent: The writes of the current request.
    mutating func beginReplacing(by write: QueuedWrite, sent: [QueuedWrite.ID]) -> QueuedWrite.ID? {
        guard write.hasWaited, write.expectations.isEmpty, write.writes.count == 1, let name = write.writes.first?.key,
            let id = tail[name], id > lastEarlier, !sent.contains(id), !unstored.rebased.contains(id),
            let earlier = entries.last(where: { $0.id == id }), earlier.isAccepted, earlier.hasWaited,
            earlier.writes.count == 1, earlier.bases == write.bases, earlier.cluster == write.cluster,
            tail.replace(earlier, by: write, sizeLimit: EtcdLimits.tail)
        else { return nil }
        replaced = id
        return id
    }

    /// Puts a write in place of the replaced one.
    ///
    /// - Parameter write: nil if it could not be stored.
    /// - Returns: Whether the replaced one was still in the queue.
    mutating func endReplacing(by write: QueuedWrite?) -> Bool {
        defer { replaced = nil }
        guard let write, let index = entries.lastIndex(where: { $0.id == replaced }) else { return false }
        entries[index].writes = write.writes
        return true
    }

    // MARK: Clusters

    /// Assigns the accepted writes to a cluster.
    ///
    /// - Returns: The writes for another cluster, which are removed from the queue. The local file still has them.
    mutating func begin(_ cluster: UInt64) -> [QueuedWrite] {
        let strangers = entries.filter { $0.cluster != 0 && $0.cluster != cluster }
        if !strangers.isEmpty { entries.removeAll { $0.cluster != 0 && $0.cluster != cluster } }
        for index in entries.indices where entries[index].isAccepted && entries[index].cluster == 0 {
            entries[index].cluster = cluster
            unstored.rebased.insert(entries[index].id)
        }
        return strangers
    }

    // MARK: Bases

    /// Makes accepted writes that have waited lose to the cluster's current values of some names.
    mutating func forgetBases(of names: [String]) {
        for index in entries.indices where entries[index].isAccepted {
            for name in names where entries[index].writes[name] != nil {
                // No key has this revision.
                entries[index].bases[name] = .max
                unstored.rebased.insert(entries[index].id)
            }
        }
    }

    /// Makes the accepted writes lose to all values of another cluster.
    mutating func forgetBases() {
        for index in entries.indices where entries[index].isAccepted {
            (entries[index].bases, entries[index].seen, entries[index].hasWaited) = ([:], 0, true)
        }
    }

    /// Records that the connection was lost: accepted writes then lose to later writes of other machines.
    mutating func recordLostConnection() {
        for index in entries.indices where entries[index].isAccepted { entries[index].hasWaited = true }
    }

    /// Whether a write of a name waits that was accepted before another machine's value was known, and so may lose to it.
    func mayLose(_ name: String, _ contents: ClusterContents) -> Bool {
        entries.contains {
            $0.isAccepted && $0.writes[name] != nil && $0.bases[name] ?? 0 != contents.modRevision(of: name)
        }
    }

    /// Bases a write on a state of a name, unless its base is older than `oldest`: it was then accepted without that knowledge.
    private mutating func setBase(of index: Int, _ name: String, to revision: Int64, from oldest: Int64) {
        let base = entries[index].bases[name] ?? 0
        guard entries[index].isAccepted, base >= oldest, base != revision else { return }
        entries[index].bases[name] = revision
        unstored.rebased.insert(entries[index].id)
    }

    // MARK: The local file

    /// Returns what the local file lacks, which then counts as stored.
    mutating func removeUnstored() -> (ended: Set<QueuedWrite.ID>, rebased: [QueuedWrite]) {
        let rebased = unstored.rebased.filter { $0 != replaced }
        defer { unstored = Unstored(rebased: unstored.rebased.subtracting(rebased)) }
        return (unstored.ended, rebased.isEmpty ? [] : entries.filter { rebased.contains($0.id) })
    }

    /// Puts back what could not be stored.
    mutating func putBack(ended: Set<QueuedWrite.ID>, rebased: [QueuedWrite]) {
        unstored.ended.formUnion(ended)
        unstored.rebased.formUnion(rebased.map(\.id))
    }

    // MARK: Planning

    /// The next step: writes that end without a transaction, or a transaction; nil for an empty queue.
    enum Step: Equatable {
        case end(QueuedWrite.ID, WriteOutcome)
        case transaction(PlannedTransaction)
    }

    /// Plans the next step. Writes without expectations share a transaction, as many as fit.
    ///
    /// - Parameter sizeLimit: The greatest size of a transaction in bytes. A larger write is sent alone.
    func next(_ contents: ClusterContents, sizeLimit: Int) -> Step? {
        guard let first = entries.first, first.id != replaced else { return nil }
        // A caller waits for the earlier writes.
        if first.expectations.isEmpty && first.writes.isEmpty { return .end(first.id, .agreed(contents.revision)) }
        if first.expectations.contains(where: { contents.known($0.key)?.data != $0.value }),
            !wasMade(0, contents, lastWritesThatAreThere(contents))
        {
            return .end(first.id, first.isAccepted ? .overruled : .refused)
        }
        var plan = PlannedTransaction()
        for entry in entries {
            let isFirst = plan.ids.isEmpty
            if !isFirst && (!entry.expectations.isEmpty || entry.writes.isEmpty) || entry.id == replaced { break }
            guard plan.add(entry, contents, sizeLimit: isFirst ? .max : sizeLimit) else { break }
            if !entry.expectations.isEmpty { break }
        }
        // This version never accepts such a write, which would block all others.
        if plan.ids.isEmpty { return .end(first.id, .failed(.refused(code: 3, status: 0))) }
        return .transaction(plan)
    }

    // MARK: Answers

    /// Records that the cluster has applied a transaction.
    ///
    /// - Returns: Its writes, which are removed from the queue.
    mutating func agree(_ plan: PlannedTransaction, at revision: Int64) -> [QueuedWrite] {
        let made = remove(Set(plan.ids))
        for index in entries.indices {
            for name in entries[index].writes.keys {
                // A write that was accepted later is based on a newer state than this transaction.
                guard let data = plan.writes[name], entries[index].seen < revision,
                    entries[index].bases[name] ?? 0 <= revision
                else { continue }
                // A missing key has no revision.
                setBase(of: index, name, to: data == nil ? 0 : revision, from: plan.comparisons[name] ?? 0)
            }
        }
        return made
    }

    /// Decides about the writes of a transaction that the cluster has refused, once ``ClusterContents`` knows the compared names.
    ///
    /// - Returns: The ended writes, which are removed from the queue. The others are planned again.
    mutating func refuse(
        _ plan: PlannedTransaction, _ contents: ClusterContents
    ) -> [(write: QueuedWrite, outcome: WriteOutcome)] {
        let ids = Set(plan.ids)
        let isThere = lastWritesThatAreThere(contents)
        var ended: [(write: QueuedWrite, outcome: WriteOutcome)] = []
        // A write that was already applied does not overrule later writes of the name, which follow it.
        var followed: [String: (revision: Int64, base: Int64)] = [:]
        for index in entries.indices {
            for name in entries[index].writes.keys {
                guard let (revision, base) = followed[name] else { continue }
                setBase(of: index, name, to: revision, from: base)
            }
            let entry = entries[index]
            guard ids.contains(entry.id) else { continue }
            if let outcome = outcome(of: index, contents, isThere) {
                ended.append((entry, outcome))
                guard case .agreed = outcome else { continue }
                for (name, data) in entry.writes where contents.known(name)?.data == data {
                    followed[name] = (contents.modRevision(of: name), followed[name]?.base ?? entry.bases[name] ?? 0)
                }
            } else if entry.hasWaited {
                // Another client has written the same bytes.
                for name in entry.writes.keys {
                    let revision = contents.modRevision(of: name)
                    followed[name] = (revision, followed[name]?.base ?? entry.bases[name] ?? 0)
                    setBase(of: index, name, to: revision, from: .min)
                }
            }
        }
        _ = remove(Set(ended.map(\.write.id)))
        return ended
    }
}

import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A write that waits for the cluster's agreement.
struct QueuedWrite: Equatable, Sendable {
    typealias ID = UInt64

    /// Later writes have greater ones.
    let id: ID
    /// What to store, each name once.
    var writes: [String: Data?]
    /// What must be stored at the moment of writing.
    var expectations: [String: Data?] = [:]
    /// Whether the write was accepted: the caller has returned, so the write may only be given up if another machine was
    /// faster. Otherwise a caller waits for it.
    var isAccepted: Bool
    /// The revisions of the written names when the write was accepted, or since the program's own last write of them.
    var bases: [String: Int64] = [:]
    /// Whether the write has waited through a lost connection or a restart, and so loses to a value that another machine has
    /// written since.
    var hasWaited = false

    /// About how many bytes the write takes in a request.
    var size: Int {
        writes.reduce(expectations.count * 64) { $0 + $1.key.utf8.count + ($1.value?.count ?? 0) + 64 }
    }
}

/// How a write ended.
enum WriteOutcome: Equatable, Sendable {
    /// The cluster has agreed, at a revision.
    case agreed(Int64)
    /// Nothing was written: an expectation did not hold.
    case refused
    /// Nothing was written: another machine has written one of the names while the write waited.
    case overruled
    /// Nothing was written.
    case failed(GatewayFailure)
    /// The caller has waited as long as it may; whether it was written is not known.
    case unknown(GatewayFailure)
}

/// A transaction of the cluster that makes the first writes of the queue.
struct PlannedTransaction: Equatable, Sendable {
    /// The writes that it makes, in their order.
    var ids: [QueuedWrite.ID] = []
    /// What it stores, of the last write of each name.
    var writes: [String: Data?] = [:]
    /// The revisions that names must have.
    var comparisons: [String: Int64] = [:]
    fileprivate var size = 0

    /// How many operations a transaction of etcd can have, without the one for the client's marker.
    static let operationLimit = 127
}

/// The writes on which the cluster has not agreed yet, in the order in which they were made. Pure: no clock, no network.
struct WriteQueue {
    private(set) var entries: [QueuedWrite] = []
    private var lastID: QueuedWrite.ID = 0

    var isEmpty: Bool { entries.isEmpty }
    var hasAccepted: Bool { entries.contains(where: \.isAccepted) }

    mutating func makeID() -> QueuedWrite.ID {
        lastID += 1
        return lastID
    }

    mutating func append(_ entry: QueuedWrite) {
        lastID = max(lastID, entry.id)
        entries.append(entry)
    }

    func contains(_ id: QueuedWrite.ID) -> Bool { entries.contains { $0.id == id } }

    mutating func remove(_ id: QueuedWrite.ID) -> QueuedWrite? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
    }

    /// Notes that the connection was lost: accepted writes then lose to what other machines write meanwhile.
    mutating func noteLostConnection() {
        for index in entries.indices where entries[index].isAccepted { entries[index].hasWaited = true }
    }

    // MARK: Planning

    /// The next step: writes that end without a transaction, or a transaction; nil for an empty queue.
    enum Step: Equatable {
        case end(QueuedWrite.ID, WriteOutcome)
        case transaction(PlannedTransaction)
    }

    /// Plans the next step. Writes without expectations share a transaction, as many as fit.
    ///
    /// - Parameter sizeLimit: How many bytes a transaction may have. A write that is larger goes alone.
    func next(_ contents: ClusterContents, sizeLimit: Int) -> Step? {
        guard let first = entries.first else { return nil }
        // A caller that waits for what is before it.
        if first.expectations.isEmpty && first.writes.isEmpty { return .end(first.id, .agreed(contents.revision)) }
        for (name, data) in first.expectations where contents.known(name)?.data != data && !wasMade(first, contents) {
            return .end(first.id, first.isAccepted ? .overruled : .refused)
        }
        var plan = PlannedTransaction()
        for entry in entries {
            let isFirst = plan.ids.isEmpty
            if !isFirst && (!entry.expectations.isEmpty || entry.writes.isEmpty) { break }
            guard plan.add(entry, contents, sizeLimit: isFirst ? .max : sizeLimit) else { break }
            if !entry.expectations.isEmpty { break }
        }
        return .transaction(plan)
    }

    // MARK: Answers

    /// Notes that the cluster has made a transaction.
    ///
    /// - Returns: The writes that it has made, which are no longer in the queue.
    mutating func agree(_ plan: PlannedTransaction, at revision: Int64) -> [QueuedWrite] {
        let made = entries.filter { plan.ids.contains($0.id) }
        entries.removeAll { plan.ids.contains($0.id) }
        for index in entries.indices where entries[index].isAccepted {
            for name in entries[index].writes.keys where plan.writes[name] != nil {
                entries[index].bases[name] = revision
            }
        }
        return made
    }

    /// Decides on the writes of a transaction that the cluster has refused, when ``ClusterContents`` knows the compared names.
    ///
    /// - Returns: The writes that have ended, which are no longer in the queue. The others are planned again.
    mutating func refuse(
        _ plan: PlannedTransaction, _ contents: ClusterContents
    ) -> [(write: QueuedWrite, outcome: WriteOutcome)] {
        var ended: [(write: QueuedWrite, outcome: WriteOutcome)] = []
        for id in plan.ids {
            guard let index = entries.firstIndex(where: { $0.id == id }) else { continue }
            let entry = entries[index]
            if let outcome = outcome(of: entry, contents) {
                entries.remove(at: index)
                ended.append((entry, outcome))
                if case .agreed = outcome { follow(entry, contents) }
            } else if entry.hasWaited {
                // Others have written the same bytes.
                for name in entry.writes.keys { entries[index].bases[name] = contents.modRevision(of: name) }
            }
        }
        return ended
    }

    /// Has later writes follow one that was made before: it does not overrule them.
    private mutating func follow(_ made: QueuedWrite, _ contents: ClusterContents) {
        for (name, data) in made.writes where contents.known(name)?.data == data {
            for index in entries.indices where entries[index].isAccepted && entries[index].writes[name] != nil {
                entries[index].bases[name] = contents.modRevision(of: name)
            }
        }
    }

    private func outcome(of entry: QueuedWrite, _ contents: ClusterContents) -> WriteOutcome? {
        if wasMade(entry, contents) { return .agreed(contents.revision) }
        for (name, data) in entry.expectations where contents.known(name)?.data != data {
            return entry.isAccepted ? .overruled : .refused
        }
        // What the caller has read has been written since, if with the same bytes.
        if !entry.isAccepted && !entry.expectations.isEmpty { return .refused }
        guard entry.hasWaited else { return nil }
        return changedNames(of: entry, contents).allSatisfy { isThere($0, of: entry, contents) } ? nil : .overruled
    }

    /// Whether a write that has waited was made before, by a transaction whose answer was lost, or is needless because others
    /// have written the same.
    private func wasMade(_ entry: QueuedWrite, _ contents: ClusterContents) -> Bool {
        entry.hasWaited && !changedNames(of: entry, contents).isEmpty
            && entry.writes.keys.allSatisfy { isThere($0, of: entry, contents) }
    }

    /// The names that someone has written since the write was accepted.
    private func changedNames(of entry: QueuedWrite, _ contents: ClusterContents) -> [String] {
        entry.writes.keys.filter { contents.modRevision(of: $0) != entry.bases[$0] ?? 0 }
    }

    /// Whether the cluster has the value of a write, or that of a later one, which may have shared its transaction.
    private func isThere(_ name: String, of entry: QueuedWrite, _ contents: ClusterContents) -> Bool {
        let data = contents.known(name)?.data
        return entries.contains { later in later.id >= entry.id && later.writes[name].map { $0 == data } ?? false }
    }
}

extension PlannedTransaction {
    /// Adds a write if there is room for it.
    fileprivate mutating func add(_ entry: QueuedWrite, _ contents: ClusterContents, sizeLimit: Int) -> Bool {
        var compared: [String: Int64] = [:]
        for name in entry.expectations.keys { compared[name] = contents.modRevision(of: name) }
        if entry.hasWaited {
            // If an earlier write of this transaction is compared, that one counts.
            for name in entry.writes.keys where writes[name] == nil { compared[name] = entry.bases[name] ?? 0 }
        }
        guard Self.hasRoom(for: entry.writes, in: writes), Self.hasRoom(for: compared, in: comparisons),
            size + entry.size <= sizeLimit
        else { return false }
        writes.merge(entry.writes) { $1 }
        comparisons.merge(compared) { $1 }
        size += entry.size
        ids.append(entry.id)
        return true
    }

    private static func hasRoom<T>(for added: [String: T], in present: [String: T]) -> Bool {
        present.count + added.keys.count { present[$0] == nil } <= operationLimit
    }
}

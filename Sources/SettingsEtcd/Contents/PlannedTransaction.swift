#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transaction of the cluster with the first writes of the queue.
struct PlannedTransaction: Equatable, Sendable {
    /// Its writes, in order.
    var ids: [QueuedWrite.ID] = []
    /// The bytes to store, from the last write of each name.
    var writes: [String: Data?] = [:]
    /// The revisions that names must have.
    var comparisons: [String: Int64] = [:]
    private var size = 0

    /// Whether a write fits into a transaction even if all of its names are compared.
    static func canMake(_ write: QueuedWrite) -> Bool {
        Set(write.writes.keys).union(write.expectations.keys).count <= EtcdLimits.operations
    }
}

extension PlannedTransaction {
    /// Adds a write if it fits.
    mutating func add(_ entry: QueuedWrite, _ contents: ClusterContents, sizeLimit: Int) -> Bool {
        var compared: [String: Int64] = [:]
        for name in entry.expectations.keys { compared[name] = contents.modRevision(of: name) }
        if entry.hasWaited {
            // If an earlier write of this transaction is compared, that comparison is enough, unless it knew a newer state: the
            // state before it then decides about this one, too.
            for name in entry.writes.keys {
                let base = entry.bases[name] ?? 0
                if writes[name] == nil {
                    compared[name] = base
                } else if let other = comparisons[name], base < other {
                    return false
                }
            }
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
        present.count + added.keys.count { present[$0] == nil } <= EtcdLimits.operations
    }
}

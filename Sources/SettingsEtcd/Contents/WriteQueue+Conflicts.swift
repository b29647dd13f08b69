/// Decides whether a waiting write or that of another client counts.
extension WriteQueue {
    /// The outcome of a write that the cluster has refused in this state; nil if it is sent again. A write that has waited loses to
    /// that of another client.
    func outcome(of index: Int, _ contents: ClusterContents, _ isThere: [String: Int]) -> WriteOutcome? {
        let entry = entries[index]
        if wasMade(index, contents, isThere) { return .agreed(contents.revision) }
        for (name, data) in entry.expectations where contents.known(name)?.data != data {
            return entry.isAccepted ? .overruled : .refused
        }
        // Another client has written a value that the caller read, even if with the same bytes.
        if !entry.isAccepted && !entry.expectations.isEmpty { return .refused }
        guard entry.hasWaited else { return nil }
        return changedNames(of: entry, contents).allSatisfy { isThere[$0] ?? -1 >= index } ? nil : .overruled
    }

    /// Whether a write that has waited was already applied, by a transaction with a lost answer, or is needless because another
    /// client has written the same.
    func wasMade(_ index: Int, _ contents: ClusterContents, _ isThere: [String: Int]) -> Bool {
        let entry = entries[index]
        return entry.hasWaited && !changedNames(of: entry, contents).isEmpty
            && entry.writes.keys.allSatisfy { isThere[$0] ?? -1 >= index }
    }

    /// The names that another client has written since the write was accepted.
    private func changedNames(of entry: QueuedWrite, _ contents: ClusterContents) -> [String] {
        entry.writes.keys.filter { contents.modRevision(of: $0) != entry.bases[$0] ?? 0 }
    }

    /// The index of the last write of each name whose value the cluster has. If it was applied, so were those before it, which
    /// may have shared its transaction.
    func lastWritesThatAreThere(_ contents: ClusterContents) -> [String: Int] {
        var last: [String: Int] = [:]
        for (index, entry) in entries.enumerated() {
            for (name, data) in entry.writes where contents.known(name)?.data == data { last[name] = index }
        }
        return last
    }
}

/// Accepts entries that are ahead of the machine's clock.
extension ReplicatedDirectory {
    /// Returns the times up to which entries are accepted: those that the replica vouches for, and those of files in the
    /// directory.
    func accepted(now: Int64) -> AcceptedTimes {
        let (memory, lastEpoch) = (tracker.memory, tracker.lastEpoch)
        var accepted = memory.accepted
        accepted.join(table.withLock { $0.accepted }, now: now, last: lastEpoch)
        return accepted
    }

    /// Joins the times of all heads in the directory. Those of removed files no longer count.
    func joinAcceptedTimes() {
        let (now, lastEpoch) = (now(), tracker.lastEpoch)
        table.withLock { table in
            var accepted = AcceptedTimes()
            for header in table.summaries.values.compactMap(\.header) where !header.accepted.isEmpty {
                accepted.join(header.accepted, now: now, last: lastEpoch)
            }
            table.accepted = accepted
        }
    }

    /// Whether a file has a record that was held back and is accepted now.
    func isDue(_ file: SeenFile) -> Bool {
        guard let summary = file.summary, summary.heldBackCount > 0 else { return false }
        let now = now()
        return summary.isDue(now, accepted(now: now))
    }
}

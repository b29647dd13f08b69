/// Joins the entries of another replica with the known ones: for each setting, determines the winning entry. The result depends
/// neither on the order in which entries arrive nor on their repetition.
struct SharedMerge {
    /// The replica whose state adopts the entries.
    let own: ReplicaID
    /// The time of the machine's clock, in milliseconds since 1970.
    let now: Int64
    /// The times up to which entries are accepted although they are ahead of the machine's clock.
    let accepted: AcceptedTimes
    /// The latest credible epoch. Later ones are damage.
    let lastEpoch: UInt32
    /// The latest moment of a removal forgotten here. Nil if there is none.
    let collected: HybridMoment?
    /// Returns the known entry of a setting.
    let present: (String) -> SharedEntry?

    /// The result of a merge.
    struct Outcome: Sendable {
        /// The entries to store, at most one for a name.
        var winners: [SharedRecord] = []
        /// Entries that are too far in the future. They are read again when they are due or accepted.
        var heldBack: [SharedRecord] = []
        /// The number of records with an epoch that no replica can have reached.
        var refusedCount = 0
        /// Whether there is an entry under the own ID that was not written with this state: another device has a copy of the
        /// state, or this state is an earlier copy.
        var hasForeignWritesOfOwn = false
        /// Values of settings that are unknown here, so old that their removal may have been forgotten.
        var returning: [SharedRecord] = []
    }

    /// Decides about the records of a file. Stores nothing.
    func outcome(of records: some Sequence<SharedRecord>) -> Outcome {
        var outcome = Outcome()
        // A name can occur more than once: two files may have been concatenated.
        var winners: [String: SharedEntry] = [:]
        for record in records {
            let entry = record.entry
            let moment = entry.stamp.moment
            let isDamage = moment.epoch > lastEpoch
            guard !isDamage, accepted.accepts(moment, now: now) else {
                if isDamage { outcome.refusedCount += 1 } else { outcome.heldBack.append(record) }
                continue
            }
            let known = present(record.name)
            if let known, known >= entry { continue }
            let isOld = collected.map { moment <= $0 } ?? false
            // An entry to which a newer version has only added members counts as the same.
            let isSame = known.map { $0.stamp == entry.stamp && $0.value == entry.value } ?? false
            if entry.stamp.replica == own, !isOld, !isSame { outcome.hasForeignWritesOfOwn = true }
            if known == nil, isOld {
                // There is nothing to remove. If an old value arrives later, its removal is then searched for.
                if !entry.isTombstone { outcome.returning.append(record) }
            } else if let other = winners[record.name], other >= entry {
                continue
            } else {
                winners[record.name] = entry
            }
        }
        outcome.winners = winners.map { SharedRecord(name: $0.key, entry: $0.value) }
        return outcome
    }
}

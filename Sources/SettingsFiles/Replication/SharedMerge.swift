/// Joins what another replica has with what is known here: for each setting the entry that wins, which depends neither on
/// the order in which entries arrive nor on how often they do.
struct SharedMerge {
    /// The replica whose state it is.
    let own: ReplicaID
    /// The machine's time, in milliseconds since 1970.
    let now: Int64
    /// What is accepted although it is ahead of the machine's time.
    let accepted: AcceptedTimes
    /// The latest epoch that is no damage.
    let lastEpoch: UInt32
    /// The last of the removals that have been forgotten here; nil if there is none.
    let collected: HybridMoment?
    /// The entry that is known of a setting.
    let present: (String) -> SharedEntry?

    /// The result of a merge.
    struct Outcome: Sendable {
        /// The entries to store, one a name.
        var winners: [SharedRecord] = []
        /// Entries that are too far in the future, and are looked at again when they are due or accepted.
        var heldBack: [SharedRecord] = []
        /// How many records have an epoch that no replica can have reached.
        var refusedCount = 0
        /// Whether there is an entry under the own ID that was not written with this state: another device has a copy of the
        /// state, or this state is itself an earlier copy.
        var hasForeignWritesOfOwn = false
        /// Values of which nothing is known here, so old that their removal may have been forgotten.
        var returning: [SharedRecord] = []

        /// Whether no record was held back or refused.
        var isWhole: Bool { heldBack.isEmpty && refusedCount == 0 }
    }

    func outcome(of records: some Sequence<SharedRecord>) -> Outcome {
        var outcome = Outcome()
        // Two files may have been put into one: a name may occur more than once.
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
            // An entry to which a newer version has only added something is the same.
            let isSame = known.map { $0.stamp == entry.stamp && $0.value == entry.value } ?? false
            if entry.stamp.replica == own, !isOld, !isSame { outcome.hasForeignWritesOfOwn = true }
            if known == nil, isOld {
                // There is nothing to remove; and should there be later, the removal is looked for then.
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

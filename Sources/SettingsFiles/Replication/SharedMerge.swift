/// Joining what another replica has with what is known here: for each setting the entry that wins, which does not depend on
/// the order in which entries arrive, nor on how often they do.
struct SharedMerge {
    /// Whose state it is.
    let own: ReplicaID
    /// The machine's time, in milliseconds since 1970.
    let now: Int64
    /// Removals before this time, in milliseconds since 1970, may have been forgotten here.
    let collected: Int64
    /// What is known of a setting.
    let present: (String) -> SharedEntry?

    /// What comes of it.
    struct Outcome: Sendable {
        /// What is to be stored, one entry a name.
        var winners: [SharedRecord] = []
        /// What is too far in the future, and is to be looked at again when it is due.
        var heldBack: [SharedRecord] = []
        /// The last moment that is not too far in the future.
        var latest = Instant.earliest
        /// Whether there is something that was set under the own ID, but not with this state: another device has a copy of
        /// it, or this state is a copy itself, of a time before.
        var hasForeignWritesOfOwn = false
        /// Values of which nothing is known here, from so long ago that they may have been removed since.
        var returning: [SharedRecord] = []
    }

    func outcome(of records: some Sequence<SharedRecord>) -> Outcome {
        var outcome = Outcome()
        // Somebody may have put two files into one: a name may occur more than once.
        var winners: [String: SharedEntry] = [:]
        for record in records {
            let entry = record.entry
            if HybridClock.isAhead(entry.stamp.instant, of: now) {
                outcome.heldBack.append(record)
                continue
            }
            outcome.latest = max(outcome.latest, entry.stamp.instant)
            let known = present(record.name)
            if let known, known >= entry { continue }
            let isOld = entry.stamp.instant.milliseconds < collected
            // What a newer version has only added something to is the same.
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

/// Giving own entries from a future that turned out to be none a stamp of the present: those made while the machine's clock
/// was ahead would win over everything that anybody sets until then.
struct Restamping {
    let own: ReplicaID
    /// The machine's time, in milliseconds since 1970.
    let now: Int64

    /// Whether there is something of others that is as far in the future: then it is this machine's clock that is behind,
    /// and the stamps are right.
    func isContradicted(by records: some Sequence<SharedRecord>) -> Bool {
        records.contains { $0.entry.stamp.replica != own && HybridClock.isAhead($0.entry.stamp.instant, of: now) }
    }

    /// - Parameter clock: Goes on from where it is, and from the entries that stay as they are.
    /// - Returns: the entries with new stamps, in the order of their old ones.
    func outcome(of records: some Sequence<SharedRecord>, clock: inout HybridClock) -> [SharedRecord] {
        var future: [SharedRecord] = []
        for record in records {
            let stamp = record.entry.stamp
            if stamp.replica == own && HybridClock.isAhead(stamp.instant, of: now) {
                future.append(record)
            } else {
                clock.observe(stamp.instant)
            }
        }
        return future.sorted { $0.entry < $1.entry }.map { record in
            var record = record
            record.entry.stamp = Stamp(instant: clock.next(now: now), replica: own)
            return record
        }
    }
}

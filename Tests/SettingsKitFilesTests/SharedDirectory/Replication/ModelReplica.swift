import Foundation

@testable import SettingsKitFiles

/// A replica without files and processes: what it knows, its clock, and its machine's clock. It takes its steps with the
/// types that the store uses, in the order in which the store uses them.
struct ModelReplica: Hashable {
    private(set) var id: ReplicaID
    private(set) var known = Knowledge()
    private(set) var clock = HybridClock()
    /// The times that it vouches for.
    private(set) var accepted: AcceptedTimes
    private(set) var heard = HeardMoments()
    private(set) var collected: HybridMoment?
    /// How many replicas it says that it has heard.
    private let heardLimit: Int
    /// Whose files it had, and when one was gone.
    private var memory = ReplicaMemory(replica: ReplicaID(0))
    /// How far the machine's clock is from the right time, in milliseconds.
    var error: Int64 = 0
    /// Whether it took writes under its own ID for another replica's.
    private(set) var hasMetItself = false

    /// A rule that is broken on purpose, to see that the tests notice.
    enum Mutant: CaseIterable {
        case vouchesForNothing
        case vouchesForOwnEntriesOnly
        case beginsNoEpoch
        case forgetsWhatOthersHaveNotHeard
        case hearsIncompleteFiles
        case hearsWhatItHoldsBack
        case forgetsInAnEmptyDirectory
        case keepsWhatOthersSay
        case dropsEpochs
    }

    init(id: UInt64, epochs: Int = DirectoryLimits.acceptedEpochs, heard: Int = DirectoryLimits.heardReplicas) {
        self.id = ReplicaID(id)
        accepted = AcceptedTimes(limit: epochs)
        heardLimit = heard
    }

    /// Changes a setting.
    ///
    /// - Returns: the entry for it.
    @discardableResult
    mutating func set(_ name: String, to value: Data?, at time: Int64, mutant: Mutant? = nil) -> SharedEntry {
        let now = time + error
        var moment = clock.last
        if mutant == .beginsNoEpoch {
            let isCorrected = HybridClock.isAhead(moment.instant, of: now)
            moment.instant =
                isCorrected ? Instant(milliseconds: now) : max(Instant(milliseconds: now), moment.instant.next)
            clock = HybridClock(last: moment)
        } else {
            moment = clock.next(now: now)
        }
        let entry = SharedEntry(stamp: Stamp(moment, by: id), value: value)
        known[name] = entry
        heard.raise(id, to: moment)
        return entry
    }

    /// Whether it has an entry, or one that wins over it, or has forgotten the removal of it that is among those that were
    /// ever `written`.
    func knows(_ record: SharedRecord, written: Set<SharedRecord>) -> Bool {
        if let entry = known[record.name] { return entry >= record.entry }
        guard let collected else { return false }
        return written.contains { other in
            other.name == record.name && other.entry.isTombstone && other.entry >= record.entry
                && other.entry.stamp.moment <= collected
        }
    }

    /// The file in which it tells others what it knows.
    func file(at time: Int64) -> ReplicaFile {
        let records = known.records.sorted { $0.name < $1.name }
        let header = ReplicaHeader(
            replica: id, device: "model", written: time + error, recordCount: records.count, accepted: accepted,
            heard: heard)
        return ReplicaFile(header: header, records: records)
    }

    /// Takes over what files have, and vouches for what it holds then.
    mutating func look(at files: [ReplicaFile], at time: Int64, mutant: Mutant? = nil) {
        let now = time + error
        var accepted = accepted
        for header in files.compactMap(\.header) {
            accepted.join(header.accepted, now: now, last: clock.last.lastCredibleEpoch)
        }
        if mutant == .keepsWhatOthersSay { self.accepted = accepted }
        for file in files {
            let known = known
            let merge = SharedMerge(
                own: id, now: now, accepted: accepted, lastEpoch: clock.last.lastCredibleEpoch, collected: collected
            ) { known[$0] }
            let outcome = merge.outcome(of: file.records)
            take(outcome, of: files)
            guard let header = file.header, header.replica != id, file.isComplete || mutant == .hearsIncompleteFiles,
                outcome.heldBack.isEmpty && outcome.refusedCount == 0 || mutant == .hearsWhatItHoldsBack
            else { continue }
            heard.join(
                header.heard, own: id, known: mutant == .keepsWhatOthersSay ? header.heard : latestChanges(files),
                lastEpoch: clock.last.lastCredibleEpoch)
        }
        vouch(at: now, mutant: mutant)
    }

    /// The latest change of each replica that files or its own state have.
    private func latestChanges(_ files: [ReplicaFile]) -> HeardMoments {
        var latest = HeardMoments()
        for file in files {
            latest.join(SeenFile.Summary(of: file).latest)
        }
        for entry in known.values { latest.raise(entry.stamp.replica, to: entry.stamp.moment) }
        return latest
    }

    private mutating func vouch(at now: Int64, mutant: Mutant?) {
        var times = mutant == .dropsEpochs ? AcceptedTimes(accepted.times) : accepted
        if mutant != .vouchesForNothing {
            var latest: [UInt32: Instant] = [:]
            for entry in known.values where mutant != .vouchesForOwnEntriesOnly || entry.stamp.replica == id {
                let moment = entry.stamp.moment
                latest[moment.epoch] = max(latest[moment.epoch] ?? moment.instant, moment.instant)
            }
            times.vouch(for: latest, now: now)
        }
        times.removePassed(now: now)
        // No world of the mutant has room for more than one epoch.
        if mutant == .dropsEpochs, let last = times.times.max(by: { $0.key < $1.key }) {
            times = AcceptedTimes([last.key: last.value], limit: 1)
        }
        accepted = times
    }

    private mutating func take(_ outcome: SharedMerge.Outcome, of files: [ReplicaFile]) {
        var winners = outcome.winners
        // An old value is taken if no file has its removal.
        for record in outcome.returning {
            let removals = files.flatMap(\.records).filter { $0.name == record.name && $0.entry.isTombstone }
            winners.append(removals.max { $0.entry < $1.entry }.map { $0.entry > record.entry ? $0 : record } ?? record)
        }
        for winner in winners where known[winner.name].map({ $0 < winner.entry }) ?? true {
            known[winner.name] = winner.entry
            clock.observe(winner.entry.stamp.moment)
        }
        if outcome.hasForeignWritesOfOwn {
            hasMetItself = true
            id = ReplicaID(id.number + 10)
        }
    }

    /// Takes note of whose files it has at a time.
    mutating func note(files: [ReplicaFile], at time: Int64, mutant: Mutant? = nil) {
        memory.replica = id
        let present = Set(files.compactMap(\.header?.replica))
        memory.record(present: present, now: time + error)
        guard mutant != .keepsWhatOthersSay else { return }
        memory.heard = heard
        memory.lowerHeard(to: latestChanges(files), present: present, limit: heardLimit)
        heard = memory.heard
        memory.heard = HeardMoments()
    }

    /// Forgets removals from before `horizon`, in milliseconds since 1970, that all others have received and of which none of
    /// the files has the value.
    mutating func forget(before horizon: Int64, files: [ReplicaFile], mutant: Mutant? = nil) {
        if mutant != .forgetsInAnEmptyDirectory, let lastLoss = memory.lastLoss, lastLoss >= horizon { return }
        let old = known.records.filter {
            $0.entry.isTombstone && $0.entry.stamp.moment.instant.milliseconds < horizon
        }
        var held = HeldRemovals(old)
        for (index, file) in files.enumerated() {
            guard let header = file.header, header.replica != id else { continue }
            if mutant != .forgetsWhatOthersHaveNotHeard {
                let written = files.compactMap(\.header).filter { $0.replica == header.replica }
                held.hold(unheardBy: written.reduce(into: HeardMoments()) { $0.join($1.heard) }, in: "\(index)")
            }
            for record in file.records { held.hold(record, in: "\(index)") }
        }
        for removal in old where !held.isHeld(removal) {
            known[removal.name] = nil
            collected = max(collected ?? removal.entry.stamp.moment, removal.entry.stamp.moment)
        }
    }
}

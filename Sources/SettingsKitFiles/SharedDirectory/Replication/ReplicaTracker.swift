import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tracks the data that every change of the local state needs: the clock, the replica's memory, and a count of changes. It follows
/// the changes of all processes.
///
/// Its lock is taken last, while the state's contents are locked.
final class ReplicaTracker: Sendable {
    /// The numbers of changes that the replica's files must contain.
    struct Changes: Equatable, Sendable {
        /// Changes of the heard moments only.
        var heard = 0
        /// All other changes.
        var others = 0
    }

    fileprivate struct State {
        var clock = HybridClock()
        /// The latest instant of each epoch before the clock's, among the present and earlier entries of the state.
        var earlierEpochs: [UInt32: Instant] = [:]
        var memory = ReplicaMemory(replica: ReplicaID(0))
        /// The latest of the replica's own changes, among the present and earlier entries of the state.
        var lastOwn: HybridMoment?
        var changes = Changes()
        /// The number of times that the state has returned to an earlier one.
        var reversals = 0
    }

    private let state = Mutex(State(), .leaf)

    /// The replica's own data in the local state. Undefined before ``begin(memory:records:)``.
    var memory: ReplicaMemory { state.withLock { $0.memory } }

    /// The latest of the replica's own changes, among the present and earlier entries of the state.
    var lastOwn: HybridMoment? { state.withLock { $0.lastOwn } }

    /// The number of times that the state has returned to an earlier one, as when a backup of it was restored.
    var reversals: Int { state.withLock { $0.reversals } }

    /// The number of changes that the replica must share with others.
    var changes: Changes { state.withLock { $0.changes } }

    /// The latest credible epoch. Later ones are damage.
    var lastEpoch: UInt32 { state.withLock { $0.clock.last.lastCredibleEpoch } }

    /// Returns a stamp for a change that is made now. Requires the lock of the state's journal.
    func nextStamp(now: Int64) -> Stamp {
        state.withLock { Stamp($0.nextMoment(now: now), by: $0.memory.replica) }
    }

    /// Returns the times that the replica vouches for. Times that have passed are left out.
    func vouched(now: Int64) -> AcceptedTimes {
        let (latest, memory) = state.withLock { ($0.latest, $0.memory) }
        var accepted = memory.accepted
        accepted.vouch(for: latest, now: now)
        accepted.removePassed(now: now)
        return accepted
    }

    /// Begins with the contents of the state when it is opened.
    func begin(memory: ReplicaMemory, records: some Sequence<SharedRecord>) {
        state.withLock { state in
            state.memory = memory
            // The last issued moment may belong to a forgotten removal.
            if let collected = memory.collected { state.observe(collected) }
            for record in records { state.observe(record.entry.stamp) }
        }
    }

    /// Applies changes of the state, and returns the resulting changes of values.
    func present(_ changes: [SettingsStoreChange]) -> [SettingsStoreChange] {
        state.withLock { state in
            // Usually there is one change, and the array need not grow.
            if changes.count == 1 { return state.present(changes[0]).map { [$0] } ?? [] }
            return changes.compactMap { state.present($0) }
        }
    }
}

extension ReplicaTracker.State {
    /// - Returns: nil if no value has changed.
    fileprivate mutating func present(_ change: SettingsStoreChange) -> SettingsStoreChange? {
        guard change.name != ReplicaMemory.name else {
            loadMemory(change.newData)
            return nil
        }
        let entry = change.newData.flatMap { SharedEntry.stampAndValue(in: $0) }
        if let stamp = entry?.stamp {
            observe(stamp)
            if stamp.replica == memory.replica { changes.others += 1 }
        }
        let old = change.oldData.flatMap { SharedEntry.value(in: $0) }
        let new = entry?.value
        return old == new ? nil : SettingsStoreChange(name: change.name, from: old, to: new)
    }

    /// Issues a moment.
    fileprivate mutating func nextMoment(now: Int64) -> HybridMoment {
        let last = clock.last
        let moment = clock.next(now: now)
        if moment.epoch != last.epoch { earlierEpochs[last.epoch] = last.instant }
        return moment
    }

    fileprivate mutating func observe(_ stamp: Stamp) {
        observe(stamp.moment)
        if stamp.replica == memory.replica { lastOwn = max(lastOwn ?? stamp.moment, stamp.moment) }
    }

    fileprivate mutating func observe(_ moment: HybridMoment) {
        let last = clock.last
        if moment.epoch < last.epoch {
            let latest = earlierEpochs[moment.epoch] ?? moment.instant
            earlierEpochs[moment.epoch] = max(latest, moment.instant)
        } else {
            if moment.epoch > last.epoch { earlierEpochs[last.epoch] = last.instant }
            clock.observe(moment)
        }
    }

    /// The latest instant of each epoch.
    fileprivate var latest: [UInt32: Instant] {
        var latest = earlierEpochs
        latest[clock.last.epoch] = clock.last.instant
        return latest
    }

    fileprivate mutating func loadMemory(_ bytes: Data?) {
        do throws(ReplicaProblem) {
            // If the memory was removed by hand, the next opening writes it again.
            guard let bytes, let memory = try ReplicaMemory(bytes) else { return }
            if memory != self.memory {
                var before = self.memory
                before.present = memory.present
                before.lastLoss = memory.lastLoss
                // Without the fields that only this replica needs.
                if before != memory {
                    before.heard = memory.heard
                    if before == memory { changes.heard += 1 } else { changes.others += 1 }
                }
                if !memory.heard.covers(self.memory.heard) { reversals += 1 }
                if memory.replica != self.memory.replica { lastOwn = nil }
            }
            self.memory = memory
        } catch {
            // A newer version runs beside this one, which continues with the memory that it has.
        }
    }
}

import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tracks what every change of the local state needs: the clock, the replica's memory, and a count of changes. It
/// follows the changes of all processes.
///
/// Its lock is taken last, while the state's contents are locked.
final class ReplicaTracker: Sendable {
    /// How often something has changed that the replica's files have to contain.
    struct Changes: Equatable, Sendable {
        /// Changes of the heard moments only.
        var heard = 0
        /// All other changes.
        var others = 0
    }

    fileprivate struct State {
        var clock = HybridClock()
        /// By epoch, the latest instant of the entries that the state holds or has held.
        var latest: [UInt32: Instant] = [:]
        var memory = ReplicaMemory(replica: ReplicaID(0))
        var changes = Changes()
    }

    private let state = Mutex(State())

    /// What the local state holds about the replica. Undefined before ``begin(memory:records:)``.
    var memory: ReplicaMemory { state.withLock { $0.memory } }

    /// How often something has changed that the replica's files have to contain.
    var changes: Changes { state.withLock { $0.changes } }

    /// The latest credible epoch. Later ones are damage.
    var lastEpoch: UInt32 { state.withLock { $0.clock.last.lastCredibleEpoch } }

    /// Returns a stamp for a change that is made now. Requires the lock of the state's journal.
    func nextStamp(now: Int64) -> Stamp {
        state.withLock { Stamp($0.clock.next(now: now), by: $0.memory.replica) }
    }

    /// Returns the times that the replica accepts: its own, those of others, and those that it vouches for now. Times
    /// that have passed are left out.
    func accepted(joining others: [AcceptedTimes], now: Int64) -> AcceptedTimes {
        let (latest, memory, last) = state.withLock { ($0.latest, $0.memory, $0.clock.last) }
        var accepted = memory.accepted
        for other in others { accepted.join(other, now: now, last: last.lastCredibleEpoch) }
        accepted.vouch(for: latest, now: now)
        accepted.removePassed(now: now)
        return accepted
    }

    /// Notes what the state holds when it is opened.
    func begin(memory: ReplicaMemory, records: some Sequence<SharedRecord>) {
        state.withLock { state in
            state.memory = memory
            // A forgotten removal may have had the latest stamp of all.
            if let collected = memory.collected { state.clock.observe(collected) }
            for record in records { state.observe(record.entry.stamp.moment) }
        }
    }

    /// Notes changes of the state, and returns the changes of values among them.
    func present(_ changes: [SettingsStoreChange]) -> [SettingsStoreChange] {
        state.withLock { state in
            changes.compactMap { change in
                if change.name == ReplicaMemory.name {
                    state.takeMemory(change.newData)
                    return nil
                }
                if let entry = change.newData.flatMap({ SharedEntry.stamp(in: $0) }) {
                    state.observe(entry.moment)
                    if entry.replica == state.memory.replica { state.changes.others += 1 }
                }
                let old = change.oldData.flatMap { SharedEntry.value(in: $0) }
                let new = change.newData.flatMap { SharedEntry.value(in: $0) }
                return old == new ? nil : SettingsStoreChange(name: change.name, from: old, to: new)
            }
        }
    }
}

extension ReplicaTracker.State {
    fileprivate mutating func observe(_ moment: HybridMoment) {
        clock.observe(moment)
        latest[moment.epoch] = max(latest[moment.epoch] ?? moment.instant, moment.instant)
    }

    fileprivate mutating func takeMemory(_ bytes: Data?) {
        do throws(ReplicaProblem) {
            // If it was removed by hand, the next opening writes it again.
            guard let bytes, let memory = try ReplicaMemory(bytes) else { return }
            if memory != self.memory {
                var before = self.memory
                before.heard = memory.heard
                if before == memory { changes.heard += 1 } else { changes.others += 1 }
            }
            self.memory = memory
        } catch {
            // A newer version runs beside this one. This one continues with the memory that it has.
        }
    }
}

import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is to be known at every change of the local state, whichever process makes it: the clock, who the replica is, and
/// how often it has changed something.
///
/// Its lock is the last that is taken, while the state's contents are locked.
final class ReplicaTracker: Sendable {
    fileprivate struct State {
        var clock = HybridClock()
        var memory = ReplicaMemory(replica: ReplicaID(0))
        var ownChanges = 0
    }

    private let state = Mutex(State())

    /// Of no meaning before ``begin(memory:records:)``.
    var memory: ReplicaMemory { state.withLock { $0.memory } }

    /// A number that grows whenever something changes that the replica has to tell others.
    var ownChanges: Int { state.withLock { $0.ownChanges } }

    /// A stamp for a change that is made now. The state's journal is locked.
    func nextStamp(now: Int64) -> Stamp {
        state.withLock { Stamp(instant: $0.clock.next(now: now), replica: $0.memory.replica) }
    }

    func isAhead(of now: Int64) -> Bool { state.withLock { $0.clock.isAhead(of: now) } }

    /// Lets the clock begin anew.
    ///
    /// - Returns: the clock as it was.
    @discardableResult
    func replaceClock(by clock: HybridClock) -> HybridClock {
        state.withLock { state in
            defer { state.clock = clock }
            return state.clock
        }
    }

    /// Takes note of what the state holds when it is opened.
    func begin(memory: ReplicaMemory, records: some Sequence<SharedRecord>) {
        state.withLock { state in
            state.memory = memory
            for record in records { state.clock.observe(record.entry.stamp.instant) }
        }
    }

    /// Takes note of changes of the state, and makes of them what those who use the store are told: changes of values.
    func present(_ changes: [SettingsStoreChange]) -> [SettingsStoreChange] {
        state.withLock { state in
            changes.compactMap { change in
                if change.name == ReplicaMemory.name {
                    state.takeMemory(change.newData)
                    return nil
                }
                if let entry = change.newData.flatMap({ SharedEntry.stamp(in: $0) }) {
                    state.clock.observe(entry.instant)
                    if entry.replica == state.memory.replica { state.ownChanges += 1 }
                }
                let old = change.oldData.flatMap { SharedEntry.value(in: $0) }
                let new = change.newData.flatMap { SharedEntry.value(in: $0) }
                return old == new ? nil : SettingsStoreChange(name: change.name, from: old, to: new)
            }
        }
    }
}

extension ReplicaTracker.State {
    fileprivate mutating func takeMemory(_ bytes: Data?) {
        do throws(ReplicaProblem) {
            // Should somebody have taken it away, it is written again at the next opening.
            guard let bytes, let memory = try ReplicaMemory(bytes) else { return }
            if memory != self.memory { ownChanges += 1 }
            self.memory = memory
        } catch {
            // A newer version runs beside this one; this one goes on as who it is.
        }
    }
}

import SettingsKitPlatform
import Synchronization

/// Forgets removals that are older than the retention time.
///
/// A removal is kept while a file still has the value, which may be a syncer's copy, and while a file cannot be read. Nothing
/// is forgotten if the directory has lost all files of other replicas, nor for the retention time after files of a replica
/// have disappeared: the volume may not be mounted, or the syncer may not have brought the files yet.
final class OldRemovals: Sendable {
    private struct Table {
        /// The next time to examine old removals.
        var pause: Deadline?
        /// The number of removals that are kept because of each file, at the last examination.
        var held: [String: Int] = [:]
    }

    private let state: ReplicaState
    private let seenFiles: SeenFiles
    private let ownFiles: OwnFiles
    private let table = Mutex(Table(), .leaf)

    init(of state: ReplicaState, in seenFiles: SeenFiles, _ ownFiles: OwnFiles) {
        (self.state, self.seenFiles, self.ownFiles) = (state, seenFiles, ownFiles)
    }

    /// The number of removals that are kept because of each file, at the last examination.
    var held: [String: Int] { table.withLock { $0.held } }

    /// Whether it is time to examine old removals.
    var isExaminationDue: Bool { table.withLock { $0.pause?.hasPassed ?? true } }

    /// Forgets old removals that every other replica has heard, once a day.
    func forget() throws {
        guard isExaminationDue else { return }
        // Set even if removals cannot be forgotten now, because an attempt reads all files.
        pause(for: DirectoryTimings.forgettingPause)
        let leastWritten = state.leastWritten
        let old = state.contents.sharedRecords.filter {
            $0.entry.isTombstone && $0.entry.stamp.moment.instant.milliseconds < leastWritten
        }
        var held = HeldRemovals(old)
        let summaries = seenFiles.summaries
        held.hold(unheardIn: ReplicaParts(summaries), besides: state.memory.replica, since: leastWritten)
        let horizon = horizon(summaries)
        // All files are read only if every replica has heard a removal, and none has lost its files lately.
        let isForgetting =
            state.memory.lastLoss.map { $0 < horizon } ?? true && !old.allSatisfy { held.isHeld($0) }
        let isWhole = try !isForgetting || seenFiles.readAllRecords { held.hold($1, in: $0) }
        publish(held)
        guard isWhole else { return }
        if isForgetting {
            try state.forget(old.filter { !held.isHeld($0) && $0.entry.stamp.moment.instant.milliseconds < horizon })
        }
        pause(for: DirectoryTimings.forgettingInterval)
    }

    private func pause(for duration: Duration) { table.withLock { $0.pause = Deadline(after: duration) } }

    private func publish(_ held: HeldRemovals) {
        let counts = held.counts
        table.withLock { $0.held = counts }
        // A value that a removal has replaced must not come back from an own part.
        ownFiles.compact(ifIn: counts.keys)
    }

    /// The time before which removals need not be remembered, in milliseconds since 1970. If the machine's clock is ahead of all
    /// times of other replicas, the latest of theirs counts: a removal must not be forgotten too early.
    private func horizon(_ summaries: [String: SeenFile.Summary]) -> Int64 {
        let own = state.memory.replica
        let now = state.now()
        let others = summaries.values.compactMap(\.header).filter { $0.replica != own }
        return min(now, others.map(\.written).max() ?? now) - state.retention
    }
}

import SettingsCommandLine
import SettingsKit

/// Makes changes in a store, in bounded batches: each fits into the store, and none keeps other processes waiting for long.
/// Readers see each batch as a whole, but may see one batch without the next.
///
/// The differences are calculated from the stored values, so repeating an interrupted run continues it.
struct StoredChanges: Sendable {
    /// The reason why it ended early, and the number of changes that were stored.
    struct Stop: Error {
        /// Nil if it was interrupted.
        let error: (any Error)?
        let doneCount: Int
    }

    /// The number of settings in a batch: few enough for any store, and enough to spread the cost of a batch.
    static let batchSize = 500

    /// Writes come before removals, so that an interrupted run loses no stored value.
    let differences: [StoredDifference]

    init(_ differences: [StoredDifference]) {
        self.differences = differences.filter { $0.new != nil } + differences.filter { $0.new == nil }
    }

    /// The removals of names.
    init(removing names: [String]) { self.init(names.map { StoredDifference(name: $0, old: nil, new: nil) }) }

    /// Whether there is more than one batch.
    var isLong: Bool { differences.count > Self.batchSize }

    /// - Parameter isStopped: Called after each batch with the number of changes so far; returns whether to stop.
    /// - Throws: ``Stop``.
    func make(in store: any SettingsStore, isStopped: (Int) -> Bool) throws(Stop) {
        var (done, batchSize) = (0, Self.batchSize)
        do {
            while done < differences.count {
                let batch = differences[done...].prefix(batchSize)
                do {
                    try StoredDifference.make(batch, in: store)
                } catch let error as SettingsError where error.isAboutSize && batch.count > 1 {
                    // A transaction of a cluster takes fewer settings and fewer bytes.
                    batchSize = batch.count / 2
                    continue
                }
                done += batch.count
                if isStopped(done) { break }
            }
            try store.synchronize()
        } catch {
            throw Stop(error: error, doneCount: done)
        }
        if done < differences.count { throw Stop(error: nil, doneCount: done) }
    }
}

extension SettingsTool {
    /// Makes changes in a store, and shows the progress.
    ///
    /// - Parameter operation: The first word of its messages: "Copying".
    /// - Throws: The store's error, if nothing was changed. If the run ended early, a failure with the number of stored changes.
    func store(
        _ changes: StoredChanges, in target: OpenedStore, _ operation: String, _ streams: CommandStreams
    ) throws {
        let count = changes.differences.count
        if count == 0 { return }
        let interruption = Interruption()
        defer { interruption.end() }
        if changes.isLong {
            // A killed process cannot report anything, so this is reported first.
            streams.report(
                "\(operation) \(counted(count)). If this ends early, run the same command again: it continues with what is "
                    + "missing.")
        }
        do throws(StoredChanges.Stop) {
            try changes.make(in: target.store) { done in
                streams.progress("\(done) of \(count)")
                return interruption.hasCome
            }
            streams.endProgress()
        } catch {
            streams.endProgress()
            if error.doneCount == 0, let error = error.error { throw error }
            let reason = error.error.map { message(for: $0) } ?? "\(operation) was interrupted."
            throw CommandFailure.failure(
                "\(reason)\n\(error.doneCount) of \(count) changes are stored in \(target.description), which can be used. Run the "
                    + "same command again to store the rest.")
        }
    }
}

import SettingsCommandLine
import SettingsKit

/// Makes differences in a store, in bounded batches: no batch keeps other processes waiting for long, or is more than the store
/// takes. Readers see each batch as a whole, and can see some batches without the next.
///
/// Doing it again after it has ended early goes on, because the differences are found from what is stored.
struct StoredChanges: Sendable {
    /// The reason why it ended early, and the number of changes that were stored.
    struct Stop: Error {
        /// Nil if it was interrupted.
        let error: (any Error)?
        let doneCount: Int
    }

    /// The number of settings that are stored together: few enough for a batch of any store, and enough for its cost.
    static let batchSize = 500

    /// Writes first, so that a store whose change ends early lacks nothing that it had.
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
                    // A cluster's transaction has fewer settings, and fewer bytes.
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
    /// Makes changes in a store, and shows how far it is.
    ///
    /// - Parameter operation: What messages call it, to begin a sentence: "Copying".
    /// - Throws: What the store throws, if nothing was changed. A failure that says how much is stored, if it ended early.
    func store(
        _ changes: StoredChanges, in target: OpenedStore, _ operation: String, _ streams: CommandStreams
    ) throws {
        let count = changes.differences.count
        if count == 0 { return }
        let interruption = Interruption()
        defer { interruption.end() }
        if changes.isLong {
            // Said before, because a killed process cannot say it.
            streams.report(
                "\(operation) \(counted(count)). If this ends early, run the same command again: it goes on with what is "
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
                    + "same command again to go on with the rest.")
        }
    }
}

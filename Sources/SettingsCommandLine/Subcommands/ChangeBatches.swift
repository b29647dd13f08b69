import SettingsKit

/// Changes that are stored in bounded batches: each fits into the store, and none keeps other processes waiting for long.
/// Readers see each batch as a whole, but may see one batch without the next.
///
/// The changes are calculated from the stored values, so repeating an interrupted run continues it.
package struct ChangeBatches<Change: SettingChange> {
    /// The reason why the run ended early, and the number of changes that were stored.
    package struct Stop: Error {
        /// Nil if it was interrupted.
        package let error: (any Error)?
        package let doneCount: Int
    }

    /// Writes come before removals, so that an interrupted run loses no stored value.
    package let changes: [Change]

    package init(_ changes: [Change]) {
        self.changes = changes.filter { !$0.isRemoval } + changes.filter(\.isRemoval)
    }

    /// - Parameters:
    ///   - size: The number of changes in a batch. A store may take fewer.
    ///   - isStopped: Called after each batch with the number of changes so far; returns whether to stop.
    ///   - store: Stores a batch.
    package func store(
        atMost size: Int, isStopped: (Int) -> Bool, _ store: (ArraySlice<Change>) throws -> Void
    ) throws(Stop) {
        var (done, size) = (0, size)
        while done < changes.count {
            let batch = changes[done...].prefix(size)
            do {
                try store(batch)
            } catch let error as SettingsError where error.isAboutSize && batch.count > 1 {
                size = batch.count / 2
                continue
            } catch {
                throw Stop(error: error, doneCount: done)
            }
            done += batch.count
            if isStopped(done) { break }
        }
        if done < changes.count { throw Stop(error: nil, doneCount: done) }
    }
}

extension CommandProgram {
    /// Stores changes, and shows the progress. Returns when they survive a power failure.
    ///
    /// - Parameter operation: The first word of its messages: "Copying".
    /// - Throws: The store's error, if nothing was changed. If the run ended early, a failure with the number of stored changes.
    package func store(
        _ changes: [Settings.Change], in settings: Settings, _ operation: String, _ streams: CommandStreams
    ) throws {
        if changes.isEmpty { return }
        let count = changes.count
        let size = settings.batchSize ?? count
        let interruption = settings.batchSize.map { _ in Interruption() }
        defer { interruption?.end() }
        if count > size {
            // A killed process cannot report anything, so this is reported first.
            streams.report(
                "\(operation) \(count) settings. If this ends early, run the same command again: it continues with what is "
                    + "missing.")
        }
        do throws(ChangeBatches<Settings.Change>.Stop) {
            defer { streams.endProgress() }
            try ChangeBatches(changes).store(atMost: size) { done in
                streams.progress("\(done) of \(count)")
                return interruption?.hasArrived ?? false
            } _: { batch in
                try settings.store(batch)
            }
            do { try settings.bringUpToDate() } catch { throw .init(error: error, doneCount: count) }
        } catch {
            if error.doneCount == 0, let error = error.error { throw error }
            let reason = error.error.map { message(for: $0) } ?? "\(operation) was interrupted."
            throw CommandFailure.failure(
                "\(reason)\n\(error.doneCount) of \(count) changes are stored. Run the same command again to store the rest."
            )
        }
    }
}

extension SettingsError {
    /// Whether a store has refused a batch because it has too many bytes or too many settings, as a cluster does.
    fileprivate var isAboutSize: Bool { code == .tooLarge }
}

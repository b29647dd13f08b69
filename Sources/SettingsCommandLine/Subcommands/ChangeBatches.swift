import SettingsKit

extension CommandProgram {
    /// Stores changes in bounded batches: each fits into the store, and none keeps other processes waiting for long. Readers see
    /// each batch as a whole, but may see one batch without the next. Returns when the changes survive a power failure.
    ///
    /// The changes are calculated from the stored values, so repeating an interrupted run continues it.
    ///
    /// - Throws: The store's error, if nothing was changed. If the run ended early, a failure with the number of stored changes.
    package func store(_ changes: [Settings.Change], in settings: Settings) throws {
        // An interrupted run loses no stored value.
        let changes = changes.filter { !$0.isRemoval } + changes.filter(\.isRemoval)
        var (done, size) = (0, settings.batchSize ?? changes.count)
        do {
            while done < changes.count {
                let batch = changes[done...].prefix(size)
                do {
                    try settings.store(batch)
                    done += batch.count
                } catch let error as SettingsError where error.code == .tooLarge && batch.count > 1 {
                    size = batch.count / 2
                }
            }
            if done > 0 { try settings.bringUpToDate() }
        } catch  where done > 0 {
            throw CommandFailure.failure(
                "\(message(for: error))\n\(done) of \(changes.count) changes are stored. Run the same command again to store the "
                    + "rest.")
        }
    }
}

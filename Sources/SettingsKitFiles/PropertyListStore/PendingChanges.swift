import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Changes made while another process keeps the files locked: they are in force in this process immediately, and written as soon
/// as the lock is free.
///
/// They follow all earlier writes of other processes, as if they were made at the moment of writing. All of them form one record,
/// with the last value of each name. The values themselves are in the ``PublishedContents``, where reading finds them.
final class PendingChanges: Sendable {
    private let contents: PublishedContents
    private let writer: PendingWriter
    /// Changes while the files are locked for threads of this process.
    private let hasAny = Atomic(false)

    init(_ contents: PublishedContents, queue: BackgroundQueue, _ setup: PropertyListSetup) {
        self.contents = contents
        writer = PendingWriter(
            queue: queue, feed: contents.feed, description: setup.description, cause: JournalProblem.locked)
    }

    /// Whether nothing is pending. Reports that once if something was.
    var isFinished: Bool {
        guard contents.withLock({ $0.pending.isEmpty }) else { return false }
        writer.finish()
        return true
    }

    /// The time that a change waits before it is pending.
    ///
    /// - Parameter patience: The time that throwing operations wait.
    func waiting(_ patience: Duration) -> Duration { contents.withLock { $0.pending.waiting(patience) } }

    /// Puts writes in force. The files are locked for threads of this process.
    ///
    /// - Returns: the keys under which nothing was pending before.
    func keep(_ writes: [SettingsStoreBatch.Entry]) throws(SettingsError) -> [SettingsService.StorageKey] {
        try contents.requireRoom(for: writes.map { JournalChange(name: $0.key.name, data: $0.data) })
        hasAny.store(true, ordering: .relaxed)
        var new: [SettingsService.StorageKey] = []
        contents.change(origin: .local) { contents in
            let kept = contents.keep(writes)
            new = kept.new
            return kept.changes
        }
        return new
    }

    /// Reports that keys are pending, and writes the changes in the background as soon as possible.
    ///
    /// - Parameter write: Writes them without waiting for other processes. It is kept until it succeeds.
    func begin(_ keys: [SettingsService.StorageKey], write: @escaping @Sendable () throws -> Void) {
        writer.begin(keys, write: write)
    }

    /// Writes the changes, if there are any. The journal is locked.
    func write(by journal: inout JournalWriter) throws {
        guard hasAny.load(ordering: .relaxed) else { return }
        if contents.withLock({ $0.pending.isInherited }) {
            // The parent process writes it.
            contents.change(origin: .external) { $0.dropPending() }
        } else {
            let changes = contents.withLock { contents in
                contents.pendingChanges.filter { contents.journaledData(named: $0.name) != $0.data }
            }
            if !changes.isEmpty { _ = try journal.append(.changes(changes)) }
            // Values that are stored already follow the records of other processes that have stored them.
            let position = journal.follower.cursor.history
            contents.withLock { $0.storePending(at: position) }
            if let recovery = writer.endPending() { journal.follower.addProblems([recovery]) }
        }
        hasAny.store(false, ordering: .relaxed)
    }
}

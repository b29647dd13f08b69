import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Flushes the journal, so that every change so far survives a power failure. The cost does not depend on the size of the
/// property list.
///
/// A thread that waits for another one's flush needs none of its own if its changes were in the journal when that flush began.
///
/// Its lock is held during a flush, and taken before those of ``PropertyListFiles``. No listener runs inside it, and setting a
/// value does not need it.
final class JournalFlusher: Sendable {
    private let files: PropertyListFiles
    private let fileSystem: any FileSystem
    /// The journal whose name survives a power failure, and the end of the records that do.
    private let flushed = Mutex(JournalPlace(journal: 0, offset: 0), .folding)

    init(_ files: PropertyListFiles, _ setup: PropertyListSetup) {
        self.files = files
        fileSystem = setup.fileSystem
    }

    /// Returns when every change made before the call survives a power failure, in the journal or in the property list.
    ///
    /// - Parameter waiting: The time to wait for another process that has the files locked. Only the first flush of a journal that
    ///   others have written needs their lock.
    /// - Returns: false if the journal does not suffice: there is none, or the property list must be written for a reason of its
    ///   own, such as damage or a failed flush.
    func flush(waiting: Duration) throws -> Bool {
        guard let wanted = files.withLock({ Self.place(in: $0) }) else { return false }
        defer { files.deliver() }
        return try flushed.withLock { flushed in
            // After another thread's failure, the journal does not suffice.
            guard let present = files.withLock({ Self.place(in: $0) }) else { return false }
            if flushed.journal == wanted.journal, present.journal == wanted.journal, flushed.offset >= wanted.offset {
                return true
            }
            guard let (journal, place, file) = try begin(waiting: waiting) else { return false }
            defer { fileSystem.close(journal) }
            try files.flush { () throws(SystemError) in
                // If another thread or process replaces the journal in the meantime, the new one was flushed before.
                try fileSystem.synchronize(journal)
                if flushed.journal != place.journal { try file.synchronizeDirectory() }
            }
            flushed = place
            return true
        }
    }

    /// The end of the journal. Nil if flushing the journal does not suffice.
    private static func place(in writer: borrowing JournalWriter) -> JournalPlace? {
        guard writer.follower.list.isIntact, let journal = writer.follower.cursor.journal, journal.header != nil,
            !journal.condition.isSuperseded, !journal.condition.isShared
        else { return nil }
        return journal.place
    }

    /// Returns another descriptor of the journal, its end, and the property list. Nil if flushing the journal does not suffice.
    private func begin(waiting: Duration) throws -> (journal: FileHandle, place: JournalPlace, list: WholeFile)? {
        if files.withLock({ $0.follower.cursor.journal?.hasEarlierBytes ?? false }) {
            try files.updateLocked(waiting: waiting, isFolding: true) { try $0.writeJournalAgain() }
        }
        return try files.withLock { writer in
            guard let place = Self.place(in: writer), let journal = writer.follower.cursor.journal,
                !journal.hasEarlierBytes
            else { return nil }
            return (try journal.duplicate(), place, writer.follower.file)
        }
    }
}

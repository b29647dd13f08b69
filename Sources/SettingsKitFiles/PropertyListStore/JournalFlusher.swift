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
    /// A place in a journal's file. A copy of a journal has the same id.
    private struct Place {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var journal: UInt64 = 0
        var offset: UInt64 = 0

        /// Whether everything before another place is before this one.
        func covers(_ other: Self) -> Bool { isInSameFile(as: other) && offset >= other.offset }

        func isInSameFile(as other: Self) -> Bool {
            device == other.device && inode == other.inode && journal == other.journal
        }
    }

    /// What a flush needs next.
    private enum Step {
        /// Nothing: another thread has flushed everything.
        case nothing
        /// The journal must be written again.
        case writingAgain
        /// Another descriptor of the journal, to flush it.
        case flushing(FileHandle, upTo: Place)
        /// Flushing the journal does not suffice.
        case folding
    }

    private let files: PropertyListFiles
    private let fileSystem: any FileSystem
    /// The end of the records that survive a power failure, in a journal whose name does.
    private let flushed = Mutex(Place(), .folding)

    init(_ files: PropertyListFiles, _ setup: PropertyListSetup) {
        self.files = files
        fileSystem = setup.fileSystem
    }

    /// Returns when every change made before the call survives a power failure, in the journal or in the property list.
    ///
    /// - Parameter waiting: The time to wait for another process that has the files locked. Only the first flush of a journal that
    ///   others have written needs their lock.
    /// - Returns: false if the journal does not suffice: there is none, it cannot be written, or the property list must be written
    ///   for a reason of its own, such as damage or a failed flush.
    func flush(waiting: Duration) throws -> Bool {
        guard let wanted = files.withLock({ Self.place(in: $0) }) else { return false }
        defer { files.deliver() }
        return try flushed.withLock { flushed in
            var step = try files.withLock { writer in try Self.step(in: writer, after: flushed, to: wanted) }
            if case .writingAgain = step { step = try writeAgain(waiting: waiting, after: flushed, to: wanted) }
            switch step {
            case .nothing: return true
            case .writingAgain, .folding: return false
            case .flushing(let journal, let place):
                defer { fileSystem.close(journal) }
                try files.flush { () throws(SystemError) in
                    // If another thread or process replaces the journal in the meantime, the new one was flushed before.
                    try fileSystem.synchronize(journal)
                    if flushed.isInSameFile(as: place) { return }
                    try fileSystem.synchronizeDirectory(WholeFile.split(journal.path).directory)
                }
                flushed = place
                return true
            }
        }
    }

    /// Writes the bytes of other processes again. If this process may not do that, the property list shows whether there is anything
    /// to make safe.
    private func writeAgain(waiting: Duration, after flushed: Place, to wanted: Place) throws -> Step {
        do {
            return try files.updateLocked(waiting: waiting, isFolding: true) { writer in
                writer.writeJournalAgain()
                return try Self.step(in: writer, after: flushed, to: wanted)
            }
        } catch let error as SystemError where error.isAboutWriting {
            return .folding
        } catch SettingsError.Code.journalUnavailable {
            return .folding
        }
    }

    private static func step(in writer: borrowing JournalWriter, after flushed: Place, to wanted: Place) throws -> Step
    {
        // After another thread's failure, the journal does not suffice.
        guard let place = place(in: writer), let journal = writer.follower.cursor.journal else { return .folding }
        if place.isInSameFile(as: wanted), flushed.covers(wanted) { return .nothing }
        return journal.hasEarlierBytes ? .writingAgain : .flushing(try journal.duplicate(), upTo: place)
    }

    /// The end of the journal. Nil if flushing the journal does not suffice.
    private static func place(in writer: borrowing JournalWriter) -> Place? {
        guard writer.follower.list.isIntact, let journal = writer.follower.cursor.journal, journal.header != nil,
            !journal.condition.isSuperseded, !journal.condition.isShared, !journal.condition.hasFailedFlush
        else { return nil }
        let end = journal.place
        return Place(device: journal.device, inode: journal.inode, journal: end.journal, offset: end.offset)
    }
}

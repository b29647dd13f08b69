import SettingsKitPlatform
import Synchronization

/// The path and the end of the journal, as far as this process has read or is writing it, for threads that do not lock the files.
///
/// Distinguishes the process's own records from those of other processes. While a journal is replaced, own records may count as
/// unknown, which costs a poll.
final class JournalEnd: Sendable {
    private let sharedPath: Mutex<String>
    private let inode = Atomic<UInt64>(0)
    /// The end of the records that were read or written.
    private let known = Atomic<UInt64>(0)
    /// The end of the record that is being written.
    private let intended = Atomic<UInt64>(0)

    init(of path: String) { sharedPath = Mutex(path, .leaf) }

    /// The path of the journal.
    var path: String {
        get { sharedPath.withLock { $0 } }
        set { sharedPath.withLock { $0 = newValue } }
    }

    /// Publishes the end of the records that were read or written; an inode of 0 if there is no journal.
    func publish(inode: UInt64, position: UInt64) {
        // In this order, a thread that reads both in the meantime finds the journal unknown rather than known.
        intended.store(position, ordering: .releasing)
        self.inode.store(inode, ordering: .releasing)
        known.store(position, ordering: .releasing)
    }

    /// Publishes the end of a record that is about to be appended, or that nothing was appended. The journal is locked.
    func publishIntended(_ end: UInt64) { intended.store(end, ordering: .releasing) }

    /// Whether the journal at the path contains only known records, according to its status.
    func isPresent(in fileSystem: any FileSystem) -> Bool {
        do throws(SystemError) {
            return try isPresent { () throws(SystemError) in try fileSystem.status(of: path, followingLink: true) }
        } catch {
            return false
        }
    }

    /// Whether a journal with a given status contains only known records.
    ///
    /// - Parameter status: Returns the status. Nil if there is no journal.
    func isPresent(_ status: () throws(SystemError) -> FileStatus?) throws(SystemError) -> Bool {
        // It may grow in the meantime. If it is shorter than before, another program has cut it.
        let least = known.load(ordering: .acquiring)
        guard let status = try status() else { return inode.load(ordering: .acquiring) == 0 }
        return status.inode == inode.load(ordering: .acquiring) && status.size >= least
            && status.size <= intended.load(ordering: .acquiring)
    }
}

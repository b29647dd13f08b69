import SettingsKitPlatform
import Synchronization

/// Where the journal ends, as far as this process has read it or is writing it.
///
/// Distinguishes the process's own records from those of other processes without locking the files. While a journal is
/// replaced, own records may count as unknown, which costs a poll.
struct JournalEnd: ~Copyable, Sendable {
    private let inode = Atomic<UInt64>(0)
    /// The end of what was read or written.
    private let known = Atomic<UInt64>(0)
    /// The end of what is being written.
    private let intended = Atomic<UInt64>(0)

    /// Notes up to where a journal was read or written; an inode of 0 if there is none.
    func note(inode: UInt64, position: UInt64) {
        // In this order, a thread that reads them meanwhile finds the journal unknown rather than known.
        intended.store(position, ordering: .releasing)
        self.inode.store(inode, ordering: .releasing)
        known.store(position, ordering: .releasing)
    }

    /// Notes up to where a record is about to be appended, or that nothing was appended after all. The journal is locked.
    func noteIntended(_ end: UInt64) { intended.store(end, ordering: .releasing) }

    /// Whether a journal with a certain status contains nothing unknown.
    ///
    /// - Parameter status: Returns the status. Nil if there is no journal.
    func isPresent(_ status: () throws(SystemError) -> FileStatus?) throws(SystemError) -> Bool {
        // It may grow meanwhile. If it is shorter than before, another program has cut it.
        let least = known.load(ordering: .acquiring)
        guard let status = try status() else { return inode.load(ordering: .acquiring) == 0 }
        return status.inode == inode.load(ordering: .acquiring) && status.size >= least
            && status.size <= intended.load(ordering: .acquiring)
    }
}

/// A path that one thread changes and others read.
final class WatchedPath: Sendable {
    private let path: Mutex<String>

    init(_ path: String) { self.path = Mutex(path, .leaf) }

    var value: String {
        get { path.withLock { $0 } }
        set { path.withLock { $0 = newValue } }
    }
}

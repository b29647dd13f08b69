import CSettingsKitSQLite
import SettingsKitPlatform
import Synchronization

/// Ends one access early if its task is cancelled, and limits how long it waits for others.
///
/// Each access has separate limits, so an access that has ended is never confused with the next one on its connection.
final class AccessLimits: Sendable {
    /// The end of all waiting; nil if each wait has the full time-out.
    let deadline: Deadline?
    private let hasBeenCancelled = Atomic(false)
    /// The connection that SQLite works on, only to interrupt it. Any thread may do so while the connection is open. The lock
    /// keeps it from being closed.
    private let running = Mutex<OpaquePointer?>(nil, .leaf)

    init(deadline: Deadline? = nil) { self.deadline = deadline }

    var isCancelled: Bool { hasBeenCancelled.load(ordering: .acquiring) }

    func requireNotCancelled() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Interrupts SQLite's work for the access, now and later.
    func cancel() {
        hasBeenCancelled.store(true, ordering: .releasing)
        // SQLite checks the flag only occasionally, and not while it counts rows, for example.
        running.withLock { handle in
            if let handle { sqlite3_interrupt(handle) }
        }
    }

    /// Begins the use of a connection by the access.
    func begin(_ handle: OpaquePointer) {
        // One thread at a time uses the connection; other threads get only its address.
        let address = Int(bitPattern: handle)
        running.withLock { $0 = OpaquePointer(bitPattern: address) }
    }

    /// Ends the use of the connection by the access.
    func end() { running.withLock { $0 = nil } }
}

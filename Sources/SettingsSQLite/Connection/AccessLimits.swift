import CSettingsKitSQLite
import SettingsKitPlatform
import Synchronization

/// Ends one access early if its task is cancelled, and limits how long it waits for others.
///
/// Each access has separate limits, so an access that has ended is never confused with the next one on its connection.
final class AccessLimits: Sendable {
    /// The connection that SQLite works on.
    // @unchecked: SQLite allows any thread to interrupt a connection that is open; the lock keeps it from being closed.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The end of all waiting; nil if each wait has the whole time-out.
    let deadline: Deadline?
    private let hasBeenCancelled = Atomic(false)
    private let running = Mutex<Handle?>(nil)

    init(deadline: Deadline? = nil) { self.deadline = deadline }

    var isCancelled: Bool { hasBeenCancelled.load(ordering: .acquiring) }

    func requireNotCancelled() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Interrupts SQLite's work for the access, now and later.
    func cancel() {
        hasBeenCancelled.store(true, ordering: .releasing)
        // SQLite checks the flag only from time to time, and not while it counts rows, for example.
        running.withLock { handle in
            if let handle { sqlite3_interrupt(handle.pointer) }
        }
    }

    /// Begins the use of a connection by the access.
    func begin(_ handle: OpaquePointer) {
        let handle = Handle(pointer: handle)
        running.withLock { $0 = handle }
    }

    /// Ends the use of the connection by the access.
    func end() { running.withLock { $0 = nil } }
}

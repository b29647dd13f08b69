import CSettingsKitSQLite
import SettingsKitPlatform
import Synchronization

/// What ends one access early: the cancellation of its task. And what it waits for others at most.
///
/// An access that has ended is never confused with the next one on its connection: each has limits of its own.
final class AccessLimits: Sendable {
    /// The connection that SQLite works on.
    // @unchecked: SQLite allows any thread to interrupt a connection that is open; the lock keeps it from being closed.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// When waiting for others ends; nil if each wait has the time-out for itself.
    let deadline: Deadline?
    private let hasBeenCancelled = Atomic(false)
    private let running = Mutex<Handle?>(nil)

    init(deadline: Deadline? = nil) { self.deadline = deadline }

    var isCancelled: Bool { hasBeenCancelled.load(ordering: .acquiring) }

    func requireNotCancelled() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Interrupts what SQLite does for the access, now and later.
    func cancel() {
        hasBeenCancelled.store(true, ordering: .releasing)
        // The flag alone is looked at only from time to time, and not while rows are counted, for example.
        running.withLock { handle in
            if let handle { sqlite3_interrupt(handle.pointer) }
        }
    }

    /// The access uses a connection from now on.
    func begin(_ handle: OpaquePointer) {
        let handle = Handle(pointer: handle)
        running.withLock { $0 = handle }
    }

    /// The access does not use the connection any more.
    func end() { running.withLock { $0 = nil } }
}

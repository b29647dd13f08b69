import CSettingsKitSQLite
import SettingsKitCore

/// Marks the thread that runs the closure of an access. An access inside the closure could wait for one that waits for the outer
/// one.
///
/// The closures are synchronous, so all of their code runs on one thread. A task that they create runs on another.
enum AccessMark {
    /// Runs the closure of an access. The thread has a connection, and in a write the turn to write: no mutexes, but others wait
    /// for them.
    static func inside<R>(_ body: () throws -> R) rethrows -> R {
        HeldLocks.requireNone(before: "the closure of a read or a write")
        csettingskit_set_inside_access(1)
        defer { csettingskit_set_inside_access(0) }
        return try body()
    }

    /// - Throws: `SettingsError` with the code `outsideAccess` inside the closure of an access to any storage.
    static func requireOutside(store: String) throws(SettingsError) {
        if csettingskit_is_inside_access() == 0 { return }
        throw SettingsError(
            .outsideAccess, store: store,
            underlying: SQLiteProblem(
                "Inside the closure of a read or a write, no storage may be accessed, written or opened: "
                    + "two accesses could wait for each other."))
    }
}

import CSettingsKitSQLite
import SettingsKitCore

/// Marks the thread that runs the closure of an access: an access inside it could wait for the one that waits for it.
///
/// The closures are synchronous, so everything that one does runs on its thread. A task that it makes runs on another.
enum AccessMark {
    /// Runs the closure of an access.
    static func inside<R>(_ body: () throws -> R) rethrows -> R {
        csettingskit_set_inside_access(1)
        defer { csettingskit_set_inside_access(0) }
        return try body()
    }

    /// - Throws: `SettingsError` with the code `outsideAccess` inside the closure of an access, of whatever storage.
    static func requireOutside(store: String) throws(SettingsError) {
        if csettingskit_is_inside_access() == 0 { return }
        throw SettingsError(
            .outsideAccess, store: store,
            underlying: SQLiteProblem(
                "Inside the closure of a read or a write there can be no other access and no write, of whatever storage: "
                    + "two could wait for each other."))
    }
}

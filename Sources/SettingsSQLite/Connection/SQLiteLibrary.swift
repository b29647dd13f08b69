import CSettingsKitSQLite
import SettingsKitCore

/// The SQLite library of the system.
enum SQLiteLibrary {
    /// 3.24.0, of June 2018: the first with `ON CONFLICT DO UPDATE`.
    static let oldestVersion: Int32 = 3_024_000

    /// The version of the library that the program runs with, 3040001 for 3.40.1.
    static var version: Int32 { sqlite3_libversion_number() }

    /// - Throws: `SettingsError` with the code `libraryUnavailable`, with the present version and the required one.
    static func requireUsable(version: Int32 = version) throws(SettingsError) {
        if version >= oldestVersion { return }
        throw SettingsError(
            .libraryTooOld, store: "SQLite",
            underlying: SQLiteProblem(
                "It is SQLite \(text(version)); SettingsSQLite needs \(text(oldestVersion)) or newer."))
    }

    private static func text(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)"
    }
}

import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform

extension Connection {
    /// Fails for a file that is not a database, before the first statement: SQLite would treat a file named `NAME-journal` beside
    /// it as its own, and remove it. A property list has its journal there.
    ///
    /// - Throws: `SettingsError` with the code `notADatabase`. SQLite also reports the system's errors.
    func requireDatabase() throws(SettingsError) {
        guard let file, file.kind == .file, file.size > 0 else { return }
        let header = Array("SQLite format 3\0".utf8)
        var beginning = [UInt8](repeating: 0, count: header.count)
        let code = Int(csqlite_read_beginning(handle, &beginning, Int32(header.count)))
        guard [SQLITE_OK, SQLITE_IOERR_SHORT_READ].contains(code), beginning != header else { return }
        throw SettingsError(.notADatabase, store: description)
    }
}

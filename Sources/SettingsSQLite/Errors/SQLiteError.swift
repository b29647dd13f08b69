import CSettingsKitSQLite
import SettingsKitCore

/// An error of SQLite: its result code, its message, and the file.
///
/// It is the `SettingsError.underlying` error of this module's errors. It contains no bound value: if SQLite's own
/// message could quote one, the general message for the code replaces it.
public struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code, `SQLITE_CONSTRAINT_UNIQUE` (2067) for example; see
    /// <https://www.sqlite.org/rescode.html>.
    public let code: Int32
    /// SQLite's message, for example "UNIQUE constraint failed: users.name".
    public let message: String
    /// The path of the database.
    public let path: String

    /// The primary result code, the lowest eight bits: `SQLITE_CONSTRAINT` (19) for example.
    public var primaryCode: Int32 { code & 0xFF }
}

extension SQLiteError: ValueFreeError {
    /// The message and the result code.
    public var description: String { "\(message) (SQLite \(code))" }
}

extension SQLiteError {
    /// Creates the error of a connection's last call.
    ///
    /// - Parameter isAboutText: Whether the statement's text alone causes the error, before any value was bound.
    init(_ code: Int32, handle: OpaquePointer?, path: String, isAboutText: Bool = false) {
        let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
        // The extended code is that of the last call on the connection; it must be this one.
        self.code = extended & 0xFF == code & 0xFF ? extended : code
        self.path = path
        let isSafe = isAboutText || Self.isValueFree(self.code)
        let text = isSafe ? handle.flatMap { sqlite3_errmsg($0) } : sqlite3_errstr(code)
        message = text.map { String(cString: $0) } ?? "Error \(code)"
    }

    /// Whether the message for a code names only columns and constraints. (`RAISE` in a trigger, and functions, can put
    /// values into theirs.)
    private static func isValueFree(_ code: Int32) -> Bool {
        switch Int(code) & 0xFF {
        case SQLITE_CONSTRAINT: Int(code) != SQLITE_CONSTRAINT_TRIGGER
        case SQLITE_READONLY, SQLITE_FULL, SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_BUSY, SQLITE_LOCKED,
            SQLITE_CANTOPEN, SQLITE_AUTH:
            true
        default: false
        }
    }

    /// The error to throw for this one.
    ///
    /// - Parameter isWriting: Whether the call was to write, for codes that do not say it themselves.
    func settingsError(isWriting: Bool, store: String) -> SettingsError {
        let code: SettingsError.Code =
            switch Int(primaryCode) {
            case SQLITE_CONSTRAINT: .constraintViolated
            // The last one: a read was restarted too often, because other connections were always faster.
            case SQLITE_BUSY, SQLITE_PROTOCOL: .busy
            // Another statement of the same access still uses the table.
            case SQLITE_LOCKED: .statementFailed
            case SQLITE_READONLY: .readOnly
            case SQLITE_FULL: .diskFull
            case SQLITE_IOERR where Int(self.code) == SQLITE_IOERR_SHMSIZE: .diskFull
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_CORRUPT: .corruptDatabase
            case SQLITE_CANTOPEN, SQLITE_PERM: .storeUnavailable
            case SQLITE_IOERR, SQLITE_NOMEM: isWriting ? .writeFailed : .readFailed
            default: .statementFailed
            }
        return SettingsError(code, store: store, underlying: self)
    }
}

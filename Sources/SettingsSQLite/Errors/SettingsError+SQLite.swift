import SettingsKitCore

extension SettingsError.Code {
    /// A constraint of the schema forbids the write: `NOT NULL`, `UNIQUE`, a foreign key, a check. Nothing was written.
    public static let constraintViolated = Self(
        name: "constraintViolated", advice: "The schema does not allow this; nothing was written.")
    /// The disk is full. Nothing was written.
    public static let diskFull = Self(
        name: "diskFull",
        advice: "There is no room left for the database; nothing was written. Make room and try again.")
    /// The file is not an SQLite database. It was not changed.
    public static let notADatabase = Self(
        name: "notADatabase", advice: "The file is not an SQLite database; it was not changed. Give another path.")
    /// The database is damaged. It was not changed.
    public static let corruptDatabase = Self(
        name: "corruptDatabase",
        advice:
            "The database is damaged; nothing was written. Restore it, or save what is left with `sqlite3 FILE .recover`."
    )
    /// The database lacks versions of the schema, and is opened for reading only.
    public static let schemaTooOld = Self(
        name: "schemaTooOld",
        advice: "The database was made by an older version of this program. Open it once for writing.")
    /// A version of the schema could not be applied. The database is unchanged since the version before.
    public static let schemaUpgradeFailed = Self(
        name: "schemaUpgradeFailed",
        advice: "A version of the schema could not be applied; the database has the version before it.")
    /// A table is missing, or has other columns than expected.
    public static let unexpectedTable = Self(
        name: "unexpectedTable",
        advice: "The table has other columns than expected; it was not changed. Alter it, or choose another name.")
    /// SQLite does not understand a statement, or cannot run it.
    public static let statementFailed = Self(
        name: "statementFailed", advice: "SQLite could not run the statement; nothing has changed.")
    /// A row lacks a value that a record or a type expects: a missing column, `NULL`, a value of another type.
    public static let unexpectedRow = Self(
        name: "unexpectedRow", advice: "A row does not have the expected values.")
    /// A database was used after its `read` or `write` had returned; or a storage was accessed, or a store written,
    /// inside the closure of one.
    public static let outsideAccess = Self(
        name: "outsideAccess",
        advice:
            "A database may be used only inside the read or write that gives it, one at a time; nothing was written.")
    /// The file at the database's path is not the one that was opened.
    public static let fileReplaced = Self(
        name: "fileReplaced",
        advice: "The database's file was removed or replaced while it was open; nothing was written. Open it again.")
}

/// A message of this module about the cause of an error. It never contains a value.
struct SQLiteProblem: ValueFreeError, Equatable {
    let description: String

    init(_ description: String) { self.description = description }
}

extension SettingsError {
    /// A value has no stored form.
    static func unsupportedValue(_ error: any Error, store: String) -> SettingsError {
        if let error = error as? Unstorable {
            return SettingsError(.encodingFailed, store: store, underlying: SQLiteProblem(error.reason))
        }
        return .wrap(error, as: .encodingFailed, store: store)
    }
}

import SettingsKitCore

/// A database inside a transaction: what the `read` and `write` of ``SQLiteStorage`` give to their closures, and a schema
/// version is upgraded with.
///
/// It belongs to that closure, and cannot be used after it has returned. All errors are `SettingsError`s, with an
/// ``SQLiteError`` as the cause where SQLite reported one.
public final class SQLiteDatabase {
    let isWriting: Bool
    /// The tables that were read and written so far.
    private(set) var access = TableAccess()
    /// What was read so far, where somebody wants to know whether it is something else the next time.
    private(set) var digest: Hasher?

    /// An empty row, where one was used before.
    var spareRow: SQLiteRow?

    private var connection: Connection?
    /// The statement that was noted last, and how often it had been prepared anew.
    private var lastStatement: (statement: Statement, preparations: Int32)?
    let description: String

    init(_ connection: Connection, isWriting: Bool, isObserved: Bool = false) {
        self.connection = connection
        self.isWriting = isWriting
        description = connection.description
        digest = isObserved ? Hasher() : nil
    }

    /// The closure has returned.
    func end() {
        connection = nil
        lastStatement = nil
    }

    func openConnection() throws -> Connection {
        guard let connection else { throw SettingsError(.outsideAccess, store: description) }
        try connection.requireNotCancelled()
        try requireTransaction()
        return connection
    }

    /// - Throws: if SQLite has ended the transaction by itself, which it does when the disk is full, for example: what comes
    ///   next would be committed alone.
    func requireTransaction() throws {
        guard let connection, !connection.isInTransaction else { return }
        throw SettingsError(
            .writeFailed, store: description,
            underlying: SQLiteProblem("SQLite has ended the transaction because an earlier statement failed."))
    }

    /// Runs a statement, and calls `row` for each row that comes, until it answers false.
    func run(_ fragment: Fragment, _ row: (Statement) throws -> Bool = { _ in true }) throws {
        let connection = try openConnection()
        if let problem = fragment.problem { throw SettingsError.unstorable(problem, store: description) }
        let statement = try connection.statement(fragment.sql)
        try requireAllowed(statement)
        // Afterwards: SQLite may prepare it anew when it runs.
        defer { note(statement) }
        digest?.combine(fragment.sql)
        try statement.forEachRow(fragment.values) {
            if digest != nil { statement.hash(into: &digest!) }
            return try row(statement)
        }
    }

    /// Runs a statement that changes rows.
    func run(_ statement: Statement, _ values: some Collection<SQLiteValue>) throws {
        try requireAllowed(statement)
        // Afterwards: SQLite may prepare it anew when it runs.
        defer { note(statement) }
        try statement.run(values)
    }

    /// Runs all statements of a script, one after the other.
    func run(script: String) throws {
        try openConnection().run(script: script) { statement in
            try requireTransaction()
            try requireAllowed(statement)
            defer { note(statement) }
            try statement.run()
        }
    }

    /// - Throws: `SettingsError` with the code `readOnly` if a reader is to write.
    private func requireAllowed(_ statement: Statement) throws {
        guard isWriting || statement.isReadOnly else {
            throw SettingsError(
                .readOnly, store: description, underlying: SQLiteProblem("Inside a read nothing can be written."))
        }
    }

    /// Takes note of what a statement has read and written.
    private func note(_ statement: Statement) {
        if let last = lastStatement, last.statement === statement, last.preparations == statement.preparations {
            return
        }
        lastStatement = (statement, statement.preparations)
        access.formUnion(statement.access)
        if statement.access.changesSchema { connection?.forgetSchema() }
    }
}

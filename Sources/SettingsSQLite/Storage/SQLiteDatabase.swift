import SettingsKitCore

/// A database inside a transaction, which the closures of ``SQLiteStorage``'s `read` and `write` and schema versions
/// receive.
///
/// It cannot be used after the closure has returned. All errors are `SettingsError`s, with an ``SQLiteError`` as the
/// underlying error if SQLite reported one.
public final class SQLiteDatabase {
    let isWriting: Bool
    /// The tables read and written so far.
    private(set) var access = TableAccess()
    /// A hash of everything that was read, if the caller compares it with the next one.
    private(set) var digest: Hasher?

    /// The tables in which settings were set.
    var settingsTables: Set<String> = []

    /// An empty row to reuse.
    var spareRow: SQLiteRow?

    private var connection: Connection?
    /// The statements that have put rows into tables of the present schema.
    private var insertions: [Insertion] = []
    /// The last recorded statement, and its number of preparations.
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
        insertions = []
    }

    func openConnection() throws -> Connection {
        guard let connection else { throw SettingsError(.outsideAccess, store: description) }
        try connection.requireNotCancelled()
        try requireTransaction()
        return connection
    }

    /// - Throws: if SQLite has ended the transaction itself, for example because the disk is full: later changes would be
    ///   committed separately.
    func requireTransaction() throws {
        guard let connection, !connection.isInTransaction else { return }
        throw SettingsError(
            .writeFailed, store: description,
            underlying: SQLiteProblem("SQLite has ended the transaction because an earlier statement failed."))
    }

    /// Runs a statement, and calls `row` for each row until it returns false.
    func run(_ fragment: Fragment, _ row: (Statement) throws -> Bool = { _ in true }) throws {
        let connection = try openConnection()
        if let problem = fragment.problem { throw SettingsError.unsupportedValue(problem, store: description) }
        let statement = try connection.statement(fragment.sql)
        try requireAllowed(statement)
        // Recorded afterwards: SQLite may prepare the statement again when it runs.
        defer { record(statement) }
        digest?.combine(fragment.sql)
        try statement.forEachRow(fragment.values) {
            if digest != nil { statement.hash(into: &digest!) }
            return try row(statement)
        }
    }

    /// Returns the statements that put a row into a table.
    func insertion(into table: String, _ entries: [SQLiteRow.Entry]) throws -> Insertion {
        if let known = insertions.last(where: { $0.isFor(table, entries) }) { return known }
        let insertion = try Insertion(into: table, entries.map(\.name), on: openConnection())
        insertions.append(insertion)
        return insertion
    }

    /// Runs a statement that changes rows.
    func run(_ statement: Statement, _ values: some Collection<SQLiteValue>) throws {
        try requireAllowed(statement)
        // Recorded afterwards: SQLite may prepare the statement again when it runs.
        defer { record(statement) }
        try statement.run(values)
    }

    /// Runs all statements of a script, in order.
    func run(script: String) throws {
        try openConnection().run(script: script) { statement in
            try requireTransaction()
            try requireAllowed(statement)
            defer { record(statement) }
            try statement.run()
        }
    }

    /// - Throws: `SettingsError` with the code `readOnly` in a read.
    private func requireAllowed(_ statement: Statement) throws {
        guard isWriting || statement.isReadOnly else {
            throw SettingsError(
                .readOnly, store: description, underlying: SQLiteProblem("A read cannot write."))
        }
    }

    /// Records the tables that a statement has read and written.
    private func record(_ statement: Statement) {
        if let last = lastStatement, last.statement === statement, last.preparations == statement.preparations {
            return
        }
        lastStatement = (statement, statement.preparations)
        access.formUnion(statement.access)
        if statement.access.changesSchema { insertions = [] }
    }
}

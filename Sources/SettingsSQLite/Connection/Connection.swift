import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform

/// An open database. Its owner ensures that one thread at a time uses it.
final class Connection {
    let path: String
    /// The name of the database in errors.
    let description: String
    /// Whether the file cannot be written through this connection.
    let isReadOnly: Bool

    let handle: OpaquePointer
    let authorizer = Authorizer()
    private var statements: [ExactText: Statement] = [:]
    /// The statements that begin and end transactions. No other caller gets them for the same text.
    private var transactionStatements: [TransactionStep: Statement] = [:]
    /// The opened file; nil if it is unknown.
    let file: FileStatus?
    private var isClosed = false
    /// Whether the transaction writes. SQLite counts its end, which writes the file, among the statements that only read.
    var isForWriting = false

    /// The path of a database in memory.
    static let inMemory = ":memory:"

    /// The time to wait for another connection that has the file locked.
    let patience: Duration
    /// The limits of the current access.
    private var limits: AccessLimits?
    /// The current wait for another connection.
    private var wait: LockPause?

    /// Opens an existing database.
    ///
    /// - Parameter patience: The time to wait for another connection that has the file locked.
    init(path: String, isReadOnly: Bool, patience: Duration, description: String) throws {
        try SQLiteLibrary.requireUsable()
        let file = path == Self.inMemory ? nil : try? POSIXFileSystem().status(of: path, followingLink: true)
        var handle: OpaquePointer?
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        Descriptor.fillStandard()
        let code = sqlite3_open_v2(path, &handle, Int32(mode | SQLITE_OPEN_NOMUTEX), nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, handle: handle, path: path)
            sqlite3_close_v2(handle)
            throw error.settingsError(isWriting: false, store: description)
        }
        self.handle = handle
        self.path = path
        self.description = description
        // A file that cannot be opened for writing is opened for reading.
        self.isReadOnly = sqlite3_db_readonly(handle, "main") == 1
        self.file = file
        self.patience = patience
        sqlite3_extended_result_codes(handle, 1)
        Authorizer.install(authorizer, on: handle)
        installHandlers()
        // The file may have been replaced while it was opened.
        try requireSameFile()
        try requireDatabase()
    }

    deinit { close() }

    func close() {
        if isClosed { return }
        isClosed = true
        statements = [:]
        transactionStatements = [:]
        sqlite3_close_v2(handle)
    }

    /// Whether the database is in no file.
    var isInMemory: Bool { path == Self.inMemory }

    /// - Throws: `SettingsError` with the code `fileReplaced` if there is another file at the path, or none: writes through this
    ///   connection would be lost.
    func requireSameFile() throws { try Self.requireSameFile(as: file, at: path, store: description) }

    /// - Throws: `SettingsError` with the code `fileReplaced` if the file at the path is not this one.
    static func requireSameFile(as file: FileStatus?, at path: String, store description: String) throws {
        guard let file else { return }
        let present = try? POSIXFileSystem().status(of: path, followingLink: true)
        if present?.inode == file.inode && present?.device == file.device { return }
        throw SettingsError(.fileReplaced, store: description)
    }

    // MARK: Statements

    /// Returns a statement for a piece of SQL, newly prepared or kept from an earlier use.
    func statement(_ sql: String) throws -> Statement {
        let text = ExactText(text: sql)
        if let kept = statements[text], !kept.isInUse { return kept }
        try requireNoNUL(sql)
        let (statement, rest) = try prepare(sql, from: 0)
        guard let statement else { throw failure("The text has no statement.") }
        // A comment may follow the statement.
        if let rest, try prepare(sql, from: rest).0 != nil { throw failure("The text has more than one statement.") }
        if statements.count >= SQLiteLimits.preparedStatements { statements = statements.filter { $0.value.isInUse } }
        if statements[text] == nil { statements[text] = statement }
        return statement
    }

    /// Returns a statement that begins or ends a transaction.
    private enum TransactionStep: String {
        case begin = "BEGIN"
        case beginWriting = "BEGIN IMMEDIATE"
        case commit = "COMMIT"
        case rollBack = "ROLLBACK"
    }

    private func execute(_ step: TransactionStep) throws {
        try authorizer.trusting {
            if let statement = transactionStatements[step] { return try statement.run() }
            let statement = try prepare(step.rawValue, from: 0).0
            transactionStatements[step] = statement
            try statement?.run()
        }
    }

    /// Sets a pragma of this connection. (Some pragmas take effect while they are prepared, so such a statement is not kept.)
    func set(pragma: String) throws {
        try authorizer.trusting { try run(script: "PRAGMA \(pragma)") }
    }

    /// Runs all statements of a script in order, without keeping them.
    ///
    /// - Parameter run: Runs one of them.
    func run(script: String, _ run: (Statement) throws -> Void = { try $0.run() }) throws {
        try requireNoNUL(script)
        var offset: Int? = 0
        while let start = offset {
            let (statement, rest) = try prepare(script, from: start)
            if let statement { try run(statement) }
            offset = rest
        }
    }

    /// SQLite reads only up to the first NUL, and would ignore the rest silently.
    private func requireNoNUL(_ sql: String) throws {
        if sql.utf8.contains(0) { throw failure("The text contains a NUL character.") }
    }

    /// Prepares the first statement from an offset on.
    ///
    /// - Returns: nil for a comment or an empty text; and the offset of the next statement, if there is one.
    func prepare(_ sql: String, from offset: Int) throws -> (Statement?, rest: Int?) {
        authorizer.begin()
        var prepared: OpaquePointer?
        var end = 0
        let code = sql.withCString { start -> Int32 in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, start + offset, -1, &prepared, &rest)
            end = rest.map { start.distance(to: $0) } ?? sql.utf8.count
            return code
        }
        guard code == SQLITE_OK else {
            // The code may be another one than that of a refusal.
            if let refusal = authorizer.refusal { throw failure(refusal) }
            try limits?.requireNotCancelled()
            throw SQLiteError(code, handle: handle, path: path, isAboutText: true)
                .settingsError(isWriting: false, store: description)
        }
        let isEnd = sql.utf8.dropFirst(end).allSatisfy { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ";") }
        let statement = prepared.map { Statement($0, access: authorizer.access, connection: self) }
        return (statement, isEnd ? nil : end)
    }

    /// The error for a code; `CancellationError` once the access is cancelled.
    func error(_ code: Int32, isWriting: Bool) -> any Error {
        let isCancelled = limits?.isCancelled == true
        if isCancelled && [SQLITE_INTERRUPT, SQLITE_BUSY].contains(Int(code & 0xFF)) { return CancellationError() }
        return SQLiteError(code, handle: handle, path: path)
            .settingsError(isWriting: isWriting || isForWriting, store: description)
    }

    func failure(_ problem: String) -> SettingsError {
        SettingsError(.statementFailed, store: description, underlying: SQLiteProblem(problem))
    }

    // MARK: Limits

    /// Runs `body` within the limits of an access.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the access is cancelled before this returns.
    func within<R>(_ limits: AccessLimits, _ body: () throws -> R) throws -> R {
        self.limits = limits
        defer { self.limits = nil }
        try limits.requireNotCancelled()
        let result = try body()
        try limits.requireNotCancelled()
        return result
    }

    /// - Throws: `CancellationError` if the present access is cancelled.
    func requireNotCancelled() throws(CancellationError) { try limits?.requireNotCancelled() }

    /// Makes SQLite ask, while it works, whether to continue.
    private func installHandlers() {
        // The connection closes the handle when it is released.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, SQLiteLimits.progressSteps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().limits?.isCancelled == true
                    ? 1 : 0
            }, context)
        _ = sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                return connection.waitsAgain(isFirst: attempt == 0) ? 1 : 0
            }, context)
    }

    /// Waits a moment for another connection that has the file locked.
    ///
    /// - Returns: false if the wait has been too long.
    private func waitsAgain(isFirst: Bool) -> Bool {
        if isFirst { wait = LockPause(until: limits?.deadline ?? Deadline(after: patience)) }
        return limits?.isCancelled != true && wait?.next() == true
    }

    // MARK: Transactions

    /// Whether a transaction is open. SQLite ends one by itself when the disk is full, for example.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Begins a transaction that sees one state of the database and, if it is to write, excludes other writers.
    func begin(writing: Bool) throws {
        isForWriting = writing
        do {
            try execute(writing ? .beginWriting : .begin)
        } catch {
            rollBack()
            throw error
        }
    }

    func commit() throws {
        do {
            try execute(.commit)
            isForWriting = false
        } catch {
            rollBack()
            throw error
        }
    }

    /// Rolls back a transaction, if there is one.
    func rollBack() {
        isForWriting = false
        guard isInTransaction else { return }
        do {
            try execute(.rollBack)
        } catch {
            // SQLite has rolled back by itself. If it has not, the next use of the connection reports that.
        }
    }

    /// Runs `body` in one transaction: all or nothing.
    func transaction<R>(writing: Bool, _ body: () throws -> R) throws -> R {
        try begin(writing: writing)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    // MARK: The database as a whole

    /// A number that changes after another connection, of any process, has committed a change.
    func dataVersion() throws -> Int64 { try integer("PRAGMA data_version") }

    /// The first column of the first row; 0 if there is none.
    func integer(_ sql: String) throws -> Int64 {
        var number: Int64 = 0
        let statement = try statement(sql)
        try statement.forEachRow([]) {
            number = Int64(sqliteValue: statement.value(at: 0)) ?? 0
            return false
        }
        return number
    }

    /// The number of rows that the last statement has changed.
    var changeCount: Int { Int(sqlite3_changes(handle)) }

    /// The row number of the last inserted row.
    var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

extension Connection {
    /// Fails for a file that is not a database, before the first statement: SQLite would treat a file named `NAME-journal` beside
    /// it as its own, and remove it.
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

/// The text of a statement. Unlike strings, two texts are equal only if their scalars are.
struct ExactText: Hashable {
    let text: String

    static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    /// Hashes the length and the end, where most statements differ. Each run of a statement needs the hash.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(32)))
        }
    }
}

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
            .libraryUnavailable, store: "SQLite",
            underlying: SQLiteProblem(
                "It is SQLite \(text(version)); SettingsSQLite needs \(text(oldestVersion)) or newer."))
    }

    private static func text(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)"
    }
}

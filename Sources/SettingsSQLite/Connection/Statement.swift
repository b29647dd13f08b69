import CSettingsKitSQLite
import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A prepared statement of a connection.
final class Statement {
    /// The tables that it reads and writes, which may change when SQLite prepares it again.
    private(set) var access: TableAccess
    let isReadOnly: Bool
    private(set) var columnNames: [String] = []
    /// Whether its rows are being iterated: the same text then needs another statement.
    private(set) var isInUse = false
    /// A number that is unique to each row, in all runs of the statement.
    private(set) var rowNumber = 0
    /// The error of the current row.
    let notes = SQLiteRow.Notes()
    /// The name of the database in errors.
    let description: String

    /// The likely position of the next requested column.
    private var nextColumn = 0
    /// Whether every name belongs to one column; otherwise the first of them counts.
    private var hasUniqueNames = true
    /// The number of times that SQLite has prepared the statement again because the schema had changed.
    private(set) var preparations: Int32 = 0
    private let handle: OpaquePointer
    // Used only while the statement runs, which it does for the connection.
    private unowned let connection: Connection

    init(_ handle: OpaquePointer, access: TableAccess, connection: Connection) {
        self.handle = handle
        self.access = access
        self.connection = connection
        description = connection.description
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        readColumnNames()
    }

    private func readColumnNames() {
        columnNames = (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
        hasUniqueNames = Set(columnNames).count == columnNames.count
    }

    deinit { sqlite3_finalize(handle) }

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Runs the statement, and calls `row` for each row until it returns false.
    func forEachRow(_ parameters: some Collection<SQLiteValue>, _ row: () throws -> Bool) throws {
        precondition(!isInUse, "A statement runs twice at the same time.")
        isInUse = true
        defer {
            // The step has reported the error.
            sqlite3_reset(handle)
            if !parameters.isEmpty { sqlite3_clear_bindings(handle) }
            rowNumber += 1
            isInUse = false
        }
        try bind(parameters)
        connection.authorizer.access = TableAccess()
        var hasRow = try firstStep()
        while hasRow {
            rowNumber += 1
            guard try row() else { return }
            hasRow = try step()
        }
    }

    /// Runs a statement without rows, or ignores its rows.
    func run(_ parameters: some Collection<SQLiteValue> = []) throws {
        try forEachRow(parameters) { true }
    }

    /// Begins a run. SQLite may prepare the statement again only now.
    private func firstStep() throws -> Bool {
        defer {
            let count = sqlite3_stmt_status(handle, Int32(SQLITE_STMTSTATUS_REPREPARE), 0)
            if count != preparations {
                preparations = count
                readColumnNames()
                access = connection.authorizer.access
            }
        }
        return try step()
    }

    private func step() throws -> Bool {
        let code = Int(sqlite3_step(handle))
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.error(Int32(code), isWriting: !isReadOnly)
        }
    }

    // MARK: Parameters

    private func bind(_ parameters: some Collection<SQLiteValue>) throws {
        guard parameters.count == parameterCount else {
            throw SettingsError(
                .statementFailed, store: connection.description,
                underlying: SQLiteProblem(
                    "The statement has \(parameterCount) parameters but \(parameters.count) values."))
        }
        for (index, value) in parameters.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            if code != SQLITE_OK { throw connection.error(code, isWriting: !isReadOnly) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                guard let count = Int32(exactly: bytes.count) else { return Int32(SQLITE_TOOBIG) }
                return bytes.withMemoryRebound(to: CChar.self) { chars in
                    // Without a pointer, the value would be NULL.
                    guard let start = chars.baseAddress else {
                        return sqlite3_bind_text(handle, index, "", 0, Self.transient)
                    }
                    return sqlite3_bind_text(handle, index, start, count, Self.transient)
                }
            }
        case .blob(let data):
            guard let count = Int32(exactly: data.count) else { return Int32(SQLITE_TOOBIG) }
            if count == 0 { return sqlite3_bind_zeroblob(handle, index, 0) }
            return data.withUnsafeBytes { sqlite3_bind_blob(handle, index, $0.baseAddress, count, Self.transient) }
        }
    }

    /// `SQLITE_TRANSIENT`: SQLite copies the bound bytes before the call returns.
    private static let transient = unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)

    // MARK: Columns of the present row

    /// The position of a column. Most are requested in order. Case does not matter, as everywhere in SQL.
    func index(of name: String) -> Int? {
        if hasUniqueNames, nextColumn < columnNames.count, columnNames[nextColumn] == name {
            defer { nextColumn += 1 }
            return nextColumn
        }
        let index =
            columnNames.firstIndex(of: name) ?? columnNames.firstIndex { Identifier.areSame($0, name) }
        if let index { nextColumn = index + 1 }
        return index
    }

    /// Whether a column is `NULL`; nil if there is none of this name. If not, its value is probably requested next.
    func isNull(_ name: String) -> Bool? {
        guard let index = index(of: name) else { return nil }
        if isNull(index) { return true }
        nextColumn = index
        return false
    }

    /// The value of a column. Text that is not UTF-8, which other programs can store, is returned as bytes.
    func value(at column: Int) -> SQLiteValue {
        let index = Int32(column)
        switch Int(sqlite3_column_type(handle, index)) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, index)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            if let text = String(utf8: bytes) { return .text(text) }
            return .blob(Data(buffer: bytes))
        case SQLITE_BLOB: return .blob(bytes(at: column))
        default: return .null
        }
    }

    /// The bytes of a column: those of a text, of a blob, or of a number's text.
    func bytes(at column: Int) -> Data {
        withBytes(at: column) { Data($0) }
    }

    func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let index = Int32(column)
        let isBlob = Int(sqlite3_column_type(handle, index)) == SQLITE_BLOB
        // Requested as text, it is UTF-8, even in a database whose text is UTF-16.
        let start =
            isBlob
            ? sqlite3_column_blob(handle, index)
            : sqlite3_column_text(handle, index).map { UnsafeRawPointer($0) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Feeds the whole row into a hasher.
    func hash(into hasher: inout Hasher) {
        for column in columnNames.indices { hasher.combine(value(at: column)) }
    }

    func isNull(_ column: Int) -> Bool { Int(sqlite3_column_type(handle, Int32(column))) == SQLITE_NULL }
}

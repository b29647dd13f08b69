import SettingsCore

/// The columns of one row.
///
/// Inside ``SQLiteRecord/save(into:)`` columns are set, inside ``SQLiteRecord/load(from:)`` read:
///
/// ```swift
/// let id: Int = try row["id"]             // throws for NULL, a missing column, a value of another type
/// let locale: String? = row["locale"]     // nil for NULL; the others make the selection fail afterwards
/// let address: Address = try row["address"]      // JSON text, for Codable types
/// ```
///
/// Nothing is converted that would lose something: text is no number, and 300 is no `Int8`. A row that is read can be used
/// until the function that it was given to returns.
public struct SQLiteRow {
    /// What was put into the row, in order.
    private(set) var entries: [(name: String, value: SQLiteValue)] = []
    private let cursor: Cursor?
    private let fields: Fields?
    private let notes: Notes

    /// The present row of a statement.
    struct Cursor {
        let statement: Statement
        let rowNumber: Int
    }

    /// The fields of a record of settings.
    struct Fields {
        let value: (String) throws -> SQLiteValue
        let note: (any Error, String) -> Void
    }

    /// The first problem with a column, for which there was nobody to throw it to.
    final class Notes {
        var error: SettingsError?
    }

    /// An empty row, to be saved into; also to try a mapping of your own.
    public init() {
        cursor = nil
        fields = nil
        notes = Notes()
    }

    init(_ fields: Fields) {
        cursor = nil
        self.fields = fields
        notes = Notes()
    }

    init(_ statement: Statement) {
        cursor = Cursor(statement: statement, rowNumber: statement.rowNumber)
        fields = nil
        notes = statement.notes
    }

    /// The first problem that was noted.
    var error: SettingsError? { notes.error }

    /// The names of the columns.
    public var columns: [String] { cursor?.statement.columnNames ?? entries.map(\.name) }

    /// Whether there is such a column, whatever it holds.
    public func contains(_ column: String) -> Bool { columns.contains(column) }

    // MARK: Values of columns

    /// The value of a column.
    ///
    /// - Throws: ``SettingsError`` with the code `unexpectedRow`, if the column is missing, `NULL`, or holds something else.
    public subscript<Value: SQLiteConvertible>(column: String) -> Value {
        get throws {
            let stored = try stored(column)
            if let value = Value(sqliteValue: stored) { return value }
            throw mismatch(column, stored, Value.self)
        }
    }

    /// The value of a column; nil for `NULL`. Setting nil stores `NULL`.
    ///
    /// A column that is missing, or holds something else, makes the selection fail after the record was loaded; a value that
    /// cannot be stored makes saving fail.
    public subscript<Value: SQLiteConvertible>(column: String) -> Value? {
        get {
            noting(column) {
                let stored = try stored(column)
                if stored == .null { return nil }
                guard let value = Value(sqliteValue: stored) else { throw mismatch(column, stored, Value.self) }
                return value
            }
        }
        set { put(newValue, into: column) }
    }

    /// The value of a column that holds it as JSON text.
    ///
    /// - Throws: ``SettingsError`` with the code `unexpectedRow`, if the column is missing, or holds something else.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String, form: Void = ()) -> Value {
        get throws {
            guard let value: Value = try decoded(column) else { throw mismatch(column, .null, Value.self) }
            return value
        }
    }

    /// The value of a column that holds it as JSON text; nil for `NULL`. Setting nil stores `NULL`.
    ///
    /// A column that is missing, or holds something else, makes the selection fail after the record was loaded; a value that
    /// cannot be encoded makes saving fail.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String) -> Value? {
        get { noting(column) { try decoded(column) } }
        set { put(newValue.map { JSONColumn($0) }, into: column) }
    }

    private func decoded<Value: Codable>(_ column: String) throws -> Value? {
        let stored = try stored(column)
        switch stored {
        case .null: return nil
        case .text(let text):
            do {
                return try JSONColumn<Value>.value(of: text)
            } catch {
                throw SettingsError(.unexpectedRow, store: place(column), underlying: error)
            }
        default: throw mismatch(column, stored, Value.self)
        }
    }

    private mutating func put(_ value: (some SQLiteConvertible)?, into column: String) {
        do {
            let stored = try value?.sqliteValue ?? .null
            if let index = entries.firstIndex(where: { $0.name == column }) {
                entries[index].value = stored
            } else {
                entries.append((column, stored))
            }
        } catch {
            notes.error = notes.error ?? .unstorable(error, store: place(column))
        }
    }

    // MARK: Reading

    /// - Throws: if there is no such column, or the row is gone.
    private func stored(_ column: String) throws -> SQLiteValue {
        if let cursor {
            guard cursor.rowNumber == cursor.statement.rowNumber else {
                throw SettingsError(
                    .outsideAccess, store: cursor.statement.description,
                    underlying: SQLiteProblem("A row was read after the function that it was given to had returned."))
            }
            if let index = cursor.statement.index(of: column) { return cursor.statement.value(at: index) }
        } else if let fields {
            return try fields.value(column)
        } else if let entry = entries.first(where: { $0.name == column }) {
            return entry.value
        }
        throw SettingsError(
            .unexpectedRow, store: place(column), underlying: SQLiteProblem("The row has no column of this name."))
    }

    private func noting<Value>(_ column: String, _ body: () throws -> Value?) -> Value? {
        do {
            return try body()
        } catch {
            if let fields {
                fields.note(error, column)
                return nil
            }
            notes.error = notes.error ?? .wrap(error, as: .unexpectedRow)
            return nil
        }
    }

    private func mismatch(_ column: String, _ stored: SQLiteValue, _ type: Any.Type) -> SettingsError {
        let error = SettingsError(
            .unexpectedRow, store: place(column),
            underlying: SQLiteProblem(
                "It holds \(stored.kind) where \(type) is expected, or one that \(type) cannot hold."))
        // The record is then made once more, without the column.
        fields?.note(error, column)
        return error
    }

    private func place(_ column: String) -> String {
        (cursor?.statement.description).map { "\($0), column \(column)" } ?? "column \(column)"
    }
}

extension SettingsError {
    /// A value has no stored form.
    static func unstorable(_ error: any Error, store: String) -> SettingsError {
        if let error = error as? Unstorable {
            return SettingsError(.unstorable, store: store, underlying: SQLiteProblem(error.reason))
        }
        return .wrap(error, as: .unstorable, store: store)
    }
}

import SettingsKitCore

/// The columns of one row.
///
/// Inside ``SQLiteRecord/save(into:)`` columns are set, inside ``SQLiteRecord/load(from:)`` read:
///
/// ```swift
/// let id: Int = try row["id"]             // throws for NULL, a missing column, a value of another type
/// let locale: String? = row["locale"]     // nil for NULL; the others make the selection fail afterwards
/// let address: Address = try row["address"]      // for Codable types: the raw value, or JSON text
/// ```
///
/// Nothing is converted that would lose something: text is no number, and 300 is no `Int8`. A row that is read can be used
/// until the function that it was given to returns.
public struct SQLiteRow {
    /// What was put into the row, in order.
    private(set) var entries: [Entry] = []
    private let source: Source
    /// The table of the record, for errors; nil where it is not known.
    var table: String?

    typealias Entry = (name: String, value: SQLiteValue)

    private enum Source {
        /// Nothing: the row is being made.
        case none(Notes)
        /// The present row of a statement.
        case statement(Statement, rowNumber: Int)
        /// The fields of a record of settings.
        case fields(Fields)
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
    public init() { source = .none(Notes()) }

    init(_ statement: Statement) { source = .statement(statement, rowNumber: statement.rowNumber) }

    init(_ fields: Fields) { source = .fields(fields) }

    /// Makes the row empty, and keeps its room for the next one.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        if case .none(let notes) = source { notes.error = nil }
    }

    /// The first problem that was noted.
    var error: SettingsError? {
        if case .none(let notes) = source { notes.error } else { nil }
    }

    /// The names of the columns.
    public var columns: [String] {
        if case .statement(let statement, _) = source { statement.columnNames } else { entries.map(\.name) }
    }

    /// Whether there is such a column, whatever it holds.
    public func contains(_ column: String) -> Bool {
        // A record of settings has a value for each column that is asked for.
        if case .fields = source { return true }
        return columns.contains { Identifier.areSame($0, column) }
    }

    // MARK: Values of columns

    /// The value of a column.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow`, if the column is missing, `NULL`, or holds something else.
    public subscript<Value: SQLiteConvertible>(column: String) -> Value {
        // Inlined, so that the compiler sees which type it is.
        @inlinable get throws {
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
        @inlinable get {
            guard let stored = present(column) else { return nil }
            if let value = Value(sqliteValue: stored) { return value }
            note(mismatch(column, stored, Value.self), column)
            return nil
        }
        @inlinable set { put(column) { try newValue?.sqliteValue } }
    }

    /// The value of a column, for types that are `Codable`: made from its raw value or from JSON text.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow`, if the column is missing, or holds something else.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String, form: Void = ()) -> Value {
        get throws { try decoded(stored(column), column) }
    }

    /// The value of a column, for types that are `Codable`: stored as its raw value if it has one, otherwise as JSON text; nil
    /// for `NULL`. Setting nil stores `NULL`.
    ///
    /// A column that is missing, or holds something else, makes the selection fail after the record was loaded; a value that
    /// cannot be encoded makes saving fail.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String) -> Value? {
        get {
            guard let stored = present(column) else { return nil }
            do {
                return try decoded(stored, column) as Value
            } catch {
                note(error, column)
                return nil
            }
        }
        set { put(column) { try newValue.map { CodableColumn($0) }?.sqliteValue } }
    }

    /// The value that is stored for a `Codable` type.
    func decoded<Value: Decodable>(_ stored: SQLiteValue, _ column: String) throws -> Value {
        do {
            if let value = try Value.value(inColumn: stored) { return value }
        } catch {
            let error = SettingsError(.unexpectedRow, store: place(column), underlying: error)
            if case .fields(let fields) = source { fields.note(error, column) }
            throw error
        }
        throw mismatch(column, stored, Value.self)
    }

    @usableFromInline mutating func put(_ column: String, _ value: () throws -> SQLiteValue?) {
        do {
            let stored = try value() ?? .null
            if let index = entries.firstIndex(where: { $0.name == column }) {
                entries[index].value = stored
            } else {
                entries.append((column, stored))
            }
        } catch {
            note(SettingsError.unstorable(error, store: place(column)), column)
        }
    }

    // MARK: Reading

    /// - Throws: if there is no such column, or the row is gone.
    @usableFromInline func stored(_ column: String) throws -> SQLiteValue {
        switch source {
        case .statement(let statement, let rowNumber):
            guard rowNumber == statement.rowNumber else {
                throw SettingsError(
                    .outsideAccess, store: statement.description,
                    underlying: SQLiteProblem("A row was read after the function that it was given to had returned."))
            }
            if let index = statement.index(of: column) { return statement.value(at: index) }
        case .fields(let fields):
            return try fields.value(column)
        case .none:
            if let entry = entries.first(where: { $0.name == column }) { return entry.value }
        }
        throw SettingsError(
            .unexpectedRow, store: place(column), underlying: SQLiteProblem("The row has no column of this name."))
    }

    /// - Returns: nil for `NULL`, and, with a note, if there is no such column.
    @usableFromInline func present(_ column: String) -> SQLiteValue? {
        do {
            let stored = try stored(column)
            return stored == .null ? nil : stored
        } catch {
            note(error, column)
            return nil
        }
    }

    @usableFromInline func note(_ error: any Error, _ column: String) {
        switch source {
        case .none(let notes): notes.error = notes.error ?? .wrap(error, as: .unexpectedRow)
        case .statement(let statement, _):
            statement.notes.error = statement.notes.error ?? .wrap(error, as: .unexpectedRow)
        case .fields(let fields): fields.note(error, column)
        }
    }

    @usableFromInline func mismatch(_ column: String, _ stored: SQLiteValue, _ type: Any.Type) -> SettingsError {
        let error = SettingsError(
            .unexpectedRow, store: place(column),
            underlying: SQLiteProblem(
                "It holds \(stored.kind) where \(type) is expected, or one that \(type) cannot hold."))
        // The record is then made once more, without the column.
        if case .fields(let fields) = source { fields.note(error, column) }
        return error
    }

    /// What errors call the row: the database and the table, as far as they are known.
    var place: String {
        var parts = table.map { ["table \($0)"] } ?? []
        if case .statement(let statement, _) = source { parts.insert(statement.description, at: 0) }
        return parts.joined(separator: ", ")
    }

    private func place(_ column: String) -> String {
        let place = place
        return place.isEmpty ? "column \(column)" : "\(place), column \(column)"
    }
}

import SettingsKitCore

/// The columns of one row.
///
/// Set columns inside ``SQLiteRecord/save(into:)``, and read them inside ``SQLiteRecord/load(from:)``:
///
/// ```swift
/// let id: Int = try row["id"]             // throws for NULL, a missing column, a value of another type
/// let locale: String? = row["locale"]     // nil for NULL; the others make the selection fail afterwards
/// let address: Address = try row["address"]      // for Codable types: the raw value, or JSON text
/// ```
///
/// No conversion loses information: text is not a number, and 300 is not an `Int8`. A row that is read can be used
/// until the function that received it returns.
public struct SQLiteRow {
    /// The columns and values that were added, in order.
    private(set) var entries: [Entry] = []
    private let source: Source
    /// The table of the record, for errors; nil if it is not known.
    var table: String?

    typealias Entry = (name: String, value: SQLiteValue)

    private enum Source {
        /// A row for writing.
        case none(Notes)
        /// The current row of a statement.
        case statement(Statement, rowNumber: Int)
        /// The fields of a record of settings.
        case fields(Fields)
    }

    /// The fields of a record of settings.
    struct Fields {
        let value: (String) throws -> SQLiteValue
        let record: (any Error, String) -> Void
    }

    /// The first error of a column that could not be thrown.
    final class Notes {
        var error: SettingsError?
    }

    /// Creates an empty row, for saving and for testing a custom mapping.
    public init() { source = .none(Notes()) }

    init(_ statement: Statement) { source = .statement(statement, rowNumber: statement.rowNumber) }

    init(_ fields: Fields) { source = .fields(fields) }

    /// Empties the row, and keeps its memory for the next row.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        if case .none(let notes) = source { notes.error = nil }
    }

    /// The first recorded error.
    var error: SettingsError? {
        if case .none(let notes) = source { notes.error } else { nil }
    }

    /// The names of the columns.
    public var columns: [String] {
        if case .statement(let statement, _) = source { statement.columnNames } else { entries.map(\.name) }
    }

    /// Whether there is such a column, whatever its value.
    public func contains(_ column: String) -> Bool {
        // A record of settings has a value for each column.
        if case .fields = source { return true }
        return columns.contains { Identifier.areSame($0, column) }
    }

    // MARK: Values of columns

    /// The value of a column.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` if the column is missing, is `NULL`, or has a value of
    ///   another type.
    public subscript<Value: SQLiteConvertible>(column: String) -> Value {
        // Inlined, so that the compiler sees the type.
        @inlinable get throws {
            let stored = try stored(column)
            if let value = Value(sqliteValue: stored) { return value }
            throw mismatch(column, stored, Value.self)
        }
    }

    /// The value of a column; nil for `NULL`. Setting nil stores `NULL`.
    ///
    /// If the column is missing, or has a value of another type, the selection fails after the record was loaded. If
    /// the value cannot be stored, saving fails.
    public subscript<Value: SQLiteConvertible>(column: String) -> Value? {
        @inlinable get {
            guard let stored = present(column) else { return nil }
            if let value = Value(sqliteValue: stored) { return value }
            record(mismatch(column, stored, Value.self), column)
            return nil
        }
        @inlinable set { put(column) { try newValue?.sqliteValue } }
    }

    /// The value of a column of a `Codable` type, from its raw value or from JSON text.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` if the column is missing, or has a value of another
    ///   type.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String, form: Void = ()) -> Value {
        get throws { try decoded(stored(column), column) }
    }

    /// The value of a column of a `Codable` type: stored as its raw value if it has one, otherwise as JSON text; nil
    /// for `NULL`. Setting nil stores `NULL`.
    ///
    /// If the column is missing, or has a value of another type, the selection fails after the record was loaded. If
    /// the value cannot be encoded, saving fails.
    @_disfavoredOverload
    public subscript<Value: Codable>(column: String) -> Value? {
        get {
            guard let stored = present(column) else { return nil }
            do {
                return try decoded(stored, column) as Value
            } catch {
                record(error, column)
                return nil
            }
        }
        set { put(column) { try newValue.map { CodableColumn($0) }?.sqliteValue } }
    }

    /// The SQLite value of a `Codable` value.
    func decoded<Value: Decodable>(_ stored: SQLiteValue, _ column: String) throws -> Value {
        do {
            if let value = try Value.value(inColumn: stored) { return value }
        } catch {
            let error = SettingsError(.unexpectedRow, store: place(column), underlying: error)
            if case .fields(let fields) = source { fields.record(error, column) }
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
            record(SettingsError.unsupportedValue(error, store: place(column)), column)
        }
    }

    // MARK: Reading

    /// - Throws: if there is no such column, or the row can no longer be used.
    @usableFromInline func stored(_ column: String) throws -> SQLiteValue {
        switch source {
        case .statement(let statement, let rowNumber):
            guard rowNumber == statement.rowNumber else {
                throw SettingsError(
                    .outsideAccess, store: statement.description,
                    underlying: SQLiteProblem("A row was read after the function that received it had returned."))
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

    /// Whether a column is `NULL`.
    ///
    /// - Throws: as ``stored(_:)`` does.
    func isNull(_ column: String) throws -> Bool {
        if case .statement(let statement, let rowNumber) = source, rowNumber == statement.rowNumber,
            let isNull = statement.isNull(column)
        {
            return isNull
        }
        return try stored(column) == .null
    }

    /// - Returns: nil for `NULL`, and, with a recorded error, for a missing column.
    @usableFromInline func present(_ column: String) -> SQLiteValue? {
        do {
            let stored = try stored(column)
            return stored == .null ? nil : stored
        } catch {
            record(error, column)
            return nil
        }
    }

    @usableFromInline func record(_ error: any Error, _ column: String) {
        switch source {
        case .none(let notes): notes.error = notes.error ?? .wrap(error, as: .unexpectedRow)
        case .statement(let statement, _):
            statement.notes.error = statement.notes.error ?? .wrap(error, as: .unexpectedRow)
        case .fields(let fields): fields.record(error, column)
        }
    }

    @usableFromInline func mismatch(_ column: String, _ stored: SQLiteValue, _ type: Any.Type) -> SettingsError {
        let error = SettingsError(
            .unexpectedRow, store: place(column),
            underlying: SQLiteProblem(
                "It holds \(stored.kind) where \(type) is expected, or one that \(type) cannot hold."))
        // The record is then loaded again, without the column.
        if case .fields(let fields) = source { fields.record(error, column) }
        return error
    }

    /// The name of the row in errors: the database and the table, as far as they are known.
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

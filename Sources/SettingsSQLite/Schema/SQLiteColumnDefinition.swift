/// Defines a column. Its functions add to the definition, and return it.
public final class SQLiteColumnDefinition {
    private var text: String
    private(set) var problem: (any Error)?

    init(_ name: String, _ type: SQLiteColumnType) { text = "\(Identifier.quoted(name)) \(type.name)" }

    var sql: String { text }

    private func adding(_ constraint: String) -> SQLiteColumnDefinition {
        text += " \(constraint)"
        return self
    }

    /// Forbids `NULL`.
    @discardableResult public func notNull() -> SQLiteColumnDefinition { adding("NOT NULL") }

    /// Makes the column the table's primary key: it identifies a row, and `save` looks for it.
    ///
    /// - Parameter autoincrement: Whether numbers of deleted rows are never reused.
    @discardableResult public func primaryKey(autoincrement: Bool = false) -> SQLiteColumnDefinition {
        adding(autoincrement ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY")
    }

    /// Forbids two rows with the same value.
    @discardableResult public func unique() -> SQLiteColumnDefinition { adding("UNIQUE") }

    /// Sets the default, for rows that are inserted without a value; `NULL` for nil.
    @discardableResult
    public func defaults<Value: SQLiteConvertible>(to value: Value?) -> SQLiteColumnDefinition {
        do {
            return adding("DEFAULT \(try Literal.sql(value?.sqliteValue ?? .null))")
        } catch {
            problem = problem ?? error
            return self
        }
    }

    /// Adds a condition in SQL that each row must fulfill.
    @discardableResult public func check(sql condition: String) -> SQLiteColumnDefinition {
        adding("CHECK (\(condition))")
    }

    /// Requires that the value, if it is not `NULL`, exists in another table.
    ///
    /// - Parameters:
    ///   - table: The other table.
    ///   - column: The other table's column; its primary key if nil.
    ///   - onDelete: The effect on the row when the other row is deleted.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete: SQLiteForeignKeyAction = .noAction
    ) -> SQLiteColumnDefinition {
        let column = column.map { " (\(Identifier.quoted($0)))" } ?? ""
        return adding("REFERENCES \(Identifier.quoted(table))\(column) ON DELETE \(onDelete.rawValue)")
    }

    /// Sets how texts are compared in the column, for example `NOCASE`.
    @discardableResult public func collate(_ collation: String) -> SQLiteColumnDefinition {
        adding("COLLATE \(Identifier.quoted(collation))")
    }
}

/// The effect of deleting a row on the rows that refer to it.
public enum SQLiteForeignKeyAction: String, Sendable {
    /// The row cannot be deleted, unless nothing refers to it at the end of the statement.
    case noAction = "NO ACTION"
    /// The row cannot be deleted.
    case restrict = "RESTRICT"
    /// The rows that refer to it are also deleted.
    case cascade = "CASCADE"
    /// The references become `NULL`.
    case setNull = "SET NULL"
    /// The references become the column's default.
    case setDefault = "SET DEFAULT"
}

/// A value in SQL, where it cannot be bound: in the definition of a table.
enum Literal {
    static func sql(_ value: SQLiteValue) throws -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .real(let number):
            // SQLite reads a number that is too large as infinity.
            if number.isInfinite { return number > 0 ? "9e999" : "-9e999" }
            return "\(number)"
        case .text(let text):
            guard !text.utf8.contains(0) else { throw Unstorable(reason: "A default cannot contain NUL.") }
            return Quotes.around(text, "'")
        case .blob(let data): return "x'" + data.map(hexadecimal).joined() + "'"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

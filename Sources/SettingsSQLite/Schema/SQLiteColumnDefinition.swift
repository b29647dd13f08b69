/// A column that is being defined; its functions add to the definition, and return it.
public final class SQLiteColumnDefinition {
    private var text: String
    private(set) var problem: (any Error)?

    init(_ name: String, _ type: SQLiteColumnType) { text = "\(Identifier.quoted(name)) \(type.name)" }

    var sql: String { text }

    private func adding(_ constraint: String) -> SQLiteColumnDefinition {
        text += " \(constraint)"
        return self
    }

    /// `NULL` is not allowed.
    @discardableResult public func notNull() -> SQLiteColumnDefinition { adding("NOT NULL") }

    /// The column is the table's primary key: it tells one row from all others, and `save` looks for it.
    ///
    /// - Parameter autoincrement: Whether numbers of deleted rows are never used again.
    @discardableResult public func primaryKey(autoincrement: Bool = false) -> SQLiteColumnDefinition {
        adding(autoincrement ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY")
    }

    /// No two rows have the same value.
    @discardableResult public func unique() -> SQLiteColumnDefinition { adding("UNIQUE") }

    /// What a row has that is inserted without a value; `NULL` for nil.
    @discardableResult
    public func defaults<Value: SQLiteConvertible>(to value: Value?) -> SQLiteColumnDefinition {
        do {
            return adding("DEFAULT \(try Literal.sql(value?.sqliteValue ?? .null))")
        } catch {
            problem = problem ?? error
            return self
        }
    }

    /// A condition that each row must fulfil, in SQL.
    @discardableResult public func check(sql condition: String) -> SQLiteColumnDefinition {
        adding("CHECK (\(condition))")
    }

    /// The value, if it is not `NULL`, must be one in another table.
    ///
    /// - Parameters:
    ///   - table: The other table.
    ///   - column: The other table's column; its primary key if nil.
    ///   - onDelete: What becomes of the row when the other one is deleted.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete: SQLiteForeignKeyAction = .noAction
    ) -> SQLiteColumnDefinition {
        let column = column.map { " (\(Identifier.quoted($0)))" } ?? ""
        return adding("REFERENCES \(Identifier.quoted(table))\(column) ON DELETE \(onDelete.rawValue)")
    }

    /// How texts are compared in the column, `NOCASE` for example.
    @discardableResult public func collate(_ collation: String) -> SQLiteColumnDefinition {
        adding("COLLATE \(Identifier.quoted(collation))")
    }
}

/// What becomes of a row when the row that it refers to is deleted.
public enum SQLiteForeignKeyAction: String, Sendable {
    /// The other row cannot be deleted, unless nothing refers to it any more at the end of the statement.
    case noAction = "NO ACTION"
    /// The other row cannot be deleted.
    case restrict = "RESTRICT"
    /// It is deleted, too.
    case cascade = "CASCADE"
    /// Its reference becomes `NULL`.
    case setNull = "SET NULL"
    /// Its reference becomes the column's default.
    case setDefault = "SET DEFAULT"
}

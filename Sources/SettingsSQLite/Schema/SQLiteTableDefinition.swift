/// Defines a new table; see ``SQLiteDatabase/create(table:ifNotExists:_:)``.
public final class SQLiteTableDefinition {
    private var columns: [SQLiteColumnDefinition] = []
    private var constraints: [String] = []

    init() {}

    /// Adds a column.
    @discardableResult
    public func column(_ name: String, _ type: SQLiteColumnType) -> SQLiteColumnDefinition {
        let column = SQLiteColumnDefinition(name, type)
        columns.append(column)
        return column
    }

    /// Makes several columns together the primary key.
    public func primaryKey(_ columns: String...) {
        constraints.append("PRIMARY KEY (\(columns.map(Identifier.quoted).joined(separator: ", ")))")
    }

    /// Forbids two rows with the same values in all of these columns.
    public func unique(_ columns: String...) {
        constraints.append("UNIQUE (\(columns.map(Identifier.quoted).joined(separator: ", ")))")
    }

    /// Adds a condition in SQL that each row must fulfill.
    public func check(sql condition: String) { constraints.append("CHECK (\(condition))") }

    /// The text between the parentheses.
    func sql() throws -> String {
        if let problem = columns.lazy.compactMap(\.problem).first { throw problem }
        return (columns.map(\.sql) + constraints).joined(separator: ", ")
    }
}

/// Alters a table; see ``SQLiteDatabase/alter(table:_:)``.
public final class SQLiteTableAlteration {
    private enum Step {
        case add(SQLiteColumnDefinition)
        case other(String)
    }

    private var steps: [Step] = []

    init() {}

    /// Adds a column. A column that must not be `NULL` needs a default.
    @discardableResult
    public func add(column: String, _ type: SQLiteColumnType) -> SQLiteColumnDefinition {
        let definition = SQLiteColumnDefinition(column, type)
        steps.append(.add(definition))
        return definition
    }

    /// Renames a column, also in indexes, triggers and views (SQLite 3.25).
    public func rename(column: String, to newName: String) {
        steps.append(.other("RENAME COLUMN \(Identifier.quoted(column)) TO \(Identifier.quoted(newName))"))
    }

    /// Removes a column and its values (SQLite 3.35).
    public func drop(column: String) { steps.append(.other("DROP COLUMN \(Identifier.quoted(column))")) }

    /// The clauses after `ALTER TABLE name`, one for each statement.
    func clauses() throws -> [String] {
        try steps.map { step in
            switch step {
            case .add(let definition):
                if let problem = definition.problem { throw problem }
                return "ADD COLUMN \(definition.sql)"
            case .other(let text): return text
            }
        }
    }
}

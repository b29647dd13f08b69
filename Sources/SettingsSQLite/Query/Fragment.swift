/// A piece of SQL and the values for its question marks.
struct Fragment: Sendable {
    private(set) var sql: String
    private(set) var values: [SQLiteValue]
    /// The reason why the fragment cannot be used, thrown at its use.
    private(set) var problem: (any Error)?

    init(_ sql: String = "", _ values: [SQLiteValue] = []) {
        self.sql = sql
        self.values = values
    }

    mutating func append(_ text: String) { sql += text }

    mutating func append(_ other: Fragment) {
        sql += other.sql
        values += other.values
        problem = problem ?? other.problem
    }

    mutating func append(value: (some SQLiteConvertible)?) {
        sql += "?"
        do {
            values.append(try value?.sqliteValue ?? .null)
        } catch {
            problem = problem ?? error
        }
    }

    /// `(?, ?, ?)`
    mutating func append(list: some Sequence<some SQLiteConvertible>) {
        sql += "("
        for (position, value) in list.enumerated() {
            if position > 0 { sql += ", " }
            append(value: value)
        }
        sql += ")"
    }

    mutating func append(column: Column) { sql += Identifier.quoted(column.name) }
}

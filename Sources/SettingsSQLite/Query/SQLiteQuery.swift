/// Which records of a table match, in which order, and how many of them.
///
/// ```swift
/// User.all
/// User.where(Column("age") >= 18).ordered(by: Column("name").ascending).limit(10)
/// ```
public struct SQLiteQuery<Record: SQLiteRecord>: Sendable {
    private var condition: SQLiteCondition?
    private var orders: [SQLiteOrder] = []
    private var limit: (count: Int, offset: Int)?

    init(_ condition: SQLiteCondition? = nil) { self.condition = condition }

    /// The records for which the condition holds, too.
    public func `where`(_ condition: SQLiteCondition) -> SQLiteQuery {
        var query = self
        query.condition = self.condition.map { $0 && condition } ?? condition
        return query
    }

    /// The records in an order: by the first column, those that are equal in it by the second, and so on.
    public func ordered(by orders: SQLiteOrder...) -> SQLiteQuery {
        var query = self
        query.orders = orders
        return query
    }

    /// At most so many records, from the one after the first `offset` on.
    public func limit(_ count: Int, offset: Int = 0) -> SQLiteQuery {
        var query = self
        query.limit = (count, offset)
        return query
    }

    /// The query for its first record only.
    var first: SQLiteQuery { limit.map { limit(min($0.count, 1), offset: $0.offset) } ?? limit(1) }

    // MARK: SQL

    private var table: String { Identifier.quoted(Record.tableName) }

    /// All columns of the records that match.
    @usableFromInline var statement: SQLiteStatement { SQLiteStatement(select("*")) }

    /// `SELECT columns FROM table ...`
    func select(_ columns: String) -> Fragment {
        var fragment = Fragment("SELECT \(columns) FROM \(table)")
        fragment.append(clauses)
        return fragment
    }

    func count() -> Fragment {
        if limit == nil { return SQLiteQuery(condition).select("count(*)") }
        var fragment = Fragment("SELECT count(*) FROM (")
        fragment.append(select("1"))
        fragment.append(")")
        return fragment
    }

    /// Whether not all records for which the condition holds are meant.
    var isLimited: Bool { limit != nil }

    /// - Parameter key: What tells the rows of the table apart.
    func delete(key: String) -> Fragment {
        var fragment = Fragment("DELETE FROM \(table)")
        fragment.append(target(key))
        return fragment
    }

    /// - Parameter key: What tells the rows of the table apart.
    func update(_ assignments: [SQLiteAssignment], key: String) -> Fragment {
        var fragment = Fragment("UPDATE \(table) SET ")
        for (position, assignment) in assignments.enumerated() {
            if position > 0 { fragment.append(", ") }
            fragment.append(assignment.fragment)
        }
        fragment.append(target(key))
        return fragment
    }

    /// Which rows to change. (Most builds of SQLite know no `LIMIT` there.)
    private func target(_ key: String) -> Fragment {
        guard isLimited else { return SQLiteQuery(condition).clauses }
        var fragment = Fragment(" WHERE (\(key)) IN (")
        fragment.append(select(key))
        fragment.append(")")
        return fragment
    }

    private var clauses: Fragment {
        var fragment = Fragment()
        if let condition {
            fragment.append(" WHERE ")
            fragment.append(condition.fragment)
        }
        for (position, order) in orders.enumerated() {
            fragment.append(position == 0 ? " ORDER BY " : ", ")
            fragment.append(order.fragment)
        }
        if let limit {
            fragment.append(" LIMIT ")
            fragment.append(value: max(limit.count, 0))
            fragment.append(" OFFSET ")
            fragment.append(value: max(limit.offset, 0))
        }
        return fragment
    }
}

extension SQLiteRecord {
    /// All records of the table.
    public static var all: SQLiteQuery<Self> { SQLiteQuery() }

    /// The records for which the condition holds.
    public static func `where`(_ condition: SQLiteCondition) -> SQLiteQuery<Self> { SQLiteQuery(condition) }
}

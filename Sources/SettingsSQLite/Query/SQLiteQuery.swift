/// Selects records of a table: which ones, in which order, and how many.
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

    /// Returns the query with a further condition.
    public func `where`(_ condition: SQLiteCondition) -> SQLiteQuery {
        var query = self
        query.condition = self.condition.map { $0 && condition } ?? condition
        return query
    }

    /// Returns the query with an order: by the first column, equal ones by the second, and so on.
    public func ordered(by orders: SQLiteOrder...) -> SQLiteQuery {
        var query = self
        query.orders = orders
        return query
    }

    /// Returns the query with a limit: at most `count` records, after skipping the first `offset`.
    public func limit(_ count: Int, offset: Int = 0) -> SQLiteQuery {
        var query = self
        query.limit = (count, offset)
        return query
    }

    /// Returns the query for its first record only.
    var first: SQLiteQuery { limit.map { limit(min($0.count, 1), offset: $0.offset) } ?? limit(1) }

    // MARK: SQL

    private var table: String { Identifier.quoted(Record.tableName) }

    /// All columns of the matching records.
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

    func delete() -> Fragment {
        var fragment = Fragment("DELETE FROM \(table)")
        fragment.append(target)
        return fragment
    }

    func update(_ assignments: [SQLiteAssignment]) -> Fragment {
        var fragment = Fragment("UPDATE \(table) SET ")
        for (position, assignment) in assignments.enumerated() {
            if position > 0 { fragment.append(", ") }
            fragment.append(assignment.fragment)
        }
        fragment.append(target)
        return fragment
    }

    /// The rows to change. (Most builds of SQLite do not support `LIMIT` there.)
    private var target: Fragment {
        guard limit != nil else { return SQLiteQuery(condition).clauses }
        var fragment = Fragment(" WHERE _rowid_ IN (")
        fragment.append(select("_rowid_"))
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

    /// The records for which the condition is true.
    public static func `where`(_ condition: SQLiteCondition) -> SQLiteQuery<Self> { SQLiteQuery(condition) }
}

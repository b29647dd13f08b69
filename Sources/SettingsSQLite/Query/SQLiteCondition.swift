/// Selects rows of a table. Build conditions from ``Column``s, and combine them with `&&`, `||` and `!`.
public struct SQLiteCondition: Sendable {
    let fragment: Fragment
    /// The operator of a chain: further operands of the same operator need no parentheses, of which SQLite allows 90.
    private var operation: String?

    /// Creates a condition in SQL, with the interpolated values bound: `SQLiteCondition(sql: "length(name) >
    /// \(limit)")`.
    public init(sql: SQLiteStatement) { fragment = sql.fragment }

    private static func combine(
        _ one: SQLiteCondition, _ operation: String, _ other: SQLiteCondition
    ) -> SQLiteCondition {
        var chain = SQLiteCondition(sql: "\(one.part(of: operation)) \(raw: operation) \(other.part(of: operation))")
        chain.operation = operation
        return chain
    }

    /// The condition, in parentheses unless it is a chain of the same operator.
    private func part(of chain: String) -> SQLiteStatement {
        operation == chain ? SQLiteStatement(fragment) : "\(self)"
    }

    /// True if both conditions are true.
    public static func && (one: SQLiteCondition, other: SQLiteCondition) -> SQLiteCondition {
        combine(one, "AND", other)
    }

    /// True if at least one of the conditions is true.
    public static func || (one: SQLiteCondition, other: SQLiteCondition) -> SQLiteCondition {
        combine(one, "OR", other)
    }

    /// True if the condition is false. A comparison with `NULL` is not true, and neither is its negation.
    public static prefix func ! (condition: SQLiteCondition) -> SQLiteCondition {
        SQLiteCondition(sql: "NOT \(condition)")
    }
}

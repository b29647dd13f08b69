/// Selects rows of a table. Build conditions from ``Column``s, and combine them with `&&`, `||` and `!`.
public struct SQLiteCondition: Sendable {
    private(set) var fragment: Fragment
    /// The operator of a chain: further operands of the same operator need no parentheses, of which SQLite allows 90.
    private var operation: String?

    /// Creates a condition in SQL, with the interpolated values bound: `SQLiteCondition(sql: "length(name) >
    /// \(limit)")`.
    public init(sql: SQLiteStatement) { fragment = sql.fragment }

    private init(_ fragment: Fragment) { self.fragment = fragment }

    init(_ column: Column, _ test: String) {
        fragment = Fragment()
        fragment.append(column: column)
        fragment.append(" \(test)")
    }

    init(_ column: Column, _ comparison: String, _ value: (some SQLiteConvertible)?) {
        self.init(column, "\(comparison) ")
        fragment.append(value: value)
    }

    init(_ column: Column, _ comparison: String, _ other: Column) {
        self.init(column, "\(comparison) ")
        fragment.append(column: other)
    }

    init(_ column: Column, _ comparison: String, _ list: ValueList) {
        self.init(column, "\(comparison) ")
        fragment.append(list.fragment)
    }

    mutating func append(_ text: String, _ value: String) {
        fragment.append(text)
        fragment.append(value: value)
    }

    private static func combine(_ one: SQLiteCondition, _ operation: String, _ other: SQLiteCondition)
        -> SQLiteCondition
    {
        var fragment = one.part(of: operation)
        fragment.append(" \(operation) ")
        fragment.append(other.part(of: operation))
        var chain = SQLiteCondition(fragment)
        chain.operation = operation
        return chain
    }

    private func part(of chain: String) -> Fragment {
        if operation == chain { return fragment }
        var part = Fragment("(")
        part.append(fragment)
        part.append(")")
        return part
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
        var fragment = Fragment("NOT (")
        fragment.append(condition.fragment)
        fragment.append(")")
        return SQLiteCondition(fragment)
    }
}

/// Which rows of a table match; built from ``Column``s, and combined with `&&`, `||` and `!`.
public struct SQLiteCondition: Sendable {
    private(set) var fragment: Fragment
    /// What joins its parts, if it is a chain of several: more of the same need no parentheses, of which SQLite can take 90.
    private var operation: String?

    /// A condition in SQL, with the interpolated values bound: `SQLiteCondition(sql: "length(name) > \(limit)")`.
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

    /// Whether both hold.
    public static func && (one: SQLiteCondition, other: SQLiteCondition) -> SQLiteCondition {
        combine(one, "AND", other)
    }

    /// Whether one of them holds, or both.
    public static func || (one: SQLiteCondition, other: SQLiteCondition) -> SQLiteCondition {
        combine(one, "OR", other)
    }

    /// Whether it does not hold. What compares with `NULL` does not, and neither does its negation.
    public static prefix func ! (condition: SQLiteCondition) -> SQLiteCondition {
        var fragment = Fragment("NOT (")
        fragment.append(condition.fragment)
        fragment.append(")")
        return SQLiteCondition(fragment)
    }
}

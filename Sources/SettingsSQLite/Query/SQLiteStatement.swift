/// SQL with bound values.
///
/// An interpolated value is bound as a parameter, never inserted into the text. So it stays a value, whatever it
/// contains.
///
/// ```swift
/// try database.select(sql: "SELECT name FROM users WHERE id = \(id) AND role IN \(roles)")
/// ```
///
/// Names of tables and columns are not values: interpolate a record's type for its table, a ``Column`` for a column,
/// `\(identifier: name)` for any other name, and `\(raw: text)` for a piece of SQL that is part of the program.
public struct SQLiteStatement: Sendable, ExpressibleByStringInterpolation {
    let fragment: Fragment

    /// Creates SQL without values. Never use text from outside.
    public init(_ sql: String) { fragment = Fragment(sql) }

    /// Creates SQL from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates SQL with the interpolated values bound.
    public init(stringInterpolation: StringInterpolation) { fragment = stringInterpolation.fragment }

    init(_ fragment: Fragment) { self.fragment = fragment }

    /// Collects a statement's text and its values.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = Fragment()

        /// Begins with an empty statement.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds SQL.
        public mutating func appendLiteral(_ literal: String) { fragment.append(literal) }

        /// Binds a value; `NULL` for nil.
        public mutating func appendInterpolation<Value: SQLiteConvertible>(_ value: Value?) {
            fragment.append(value: value)
        }

        /// Binds the values as a list in parentheses, for `IN`.
        public mutating func appendInterpolation<Value: SQLiteConvertible>(_ values: [Value]) {
            fragment.append(list: values)
        }

        /// Adds a column's name, quoted.
        public mutating func appendInterpolation(_ column: Column) { fragment.append(column: column) }

        /// Adds the name of a record's table, quoted.
        public mutating func appendInterpolation<Record: SQLiteRecord>(_ type: Record.Type) {
            appendInterpolation(identifier: type.tableName)
        }

        /// Adds a name, quoted.
        public mutating func appendInterpolation(identifier: String) { fragment.append(Identifier.quoted(identifier)) }

        /// Adds a condition in parentheses, with its values bound.
        public mutating func appendInterpolation(_ condition: SQLiteCondition) {
            fragment.append("(")
            fragment.append(condition.fragment)
            fragment.append(")")
        }

        /// Adds another statement, a subquery for example, with its values bound.
        public mutating func appendInterpolation(_ statement: SQLiteStatement) { fragment.append(statement.fragment) }

        /// Adds SQL unchanged. Never use text from outside.
        public mutating func appendInterpolation(raw sql: String) { fragment.append(sql) }
    }
}

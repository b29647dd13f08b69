/// SQL with values in it.
///
/// What is interpolated is bound as a parameter, never pasted into the text: whatever a string holds, it stays a value.
///
/// ```swift
/// try database.select(sql: "SELECT name FROM users WHERE id = \(id) AND role IN \(roles)")
/// ```
///
/// Names of tables and columns are no values: interpolate a record's type for its table, a ``Column`` for a column,
/// `\(identifier: name)` for anything else that has a name, and `\(raw: text)` for a piece of SQL of the program's own.
public struct SQLiteStatement: Sendable, ExpressibleByStringInterpolation {
    let fragment: Fragment

    /// SQL without values. Never make it from text that comes from outside.
    public init(_ sql: String) { fragment = Fragment(sql) }

    /// SQL as it stands in the program.
    public init(stringLiteral value: String) { self.init(value) }

    /// SQL with the interpolated values bound.
    public init(stringInterpolation: StringInterpolation) { fragment = stringInterpolation.fragment }

    init(_ fragment: Fragment) { self.fragment = fragment }

    /// Collects a statement's text and its values.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = Fragment()

        /// Begins with nothing.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds SQL.
        public mutating func appendLiteral(_ literal: String) { fragment.append(literal) }

        /// Binds a value; `NULL` for nil.
        public mutating func appendInterpolation<Value: SQLiteConvertible>(_ value: Value?) {
            fragment.append(value: value)
        }

        /// Binds the values as a list in parentheses, as it stands after `IN`.
        public mutating func appendInterpolation<Value: SQLiteConvertible>(_ values: [Value]) {
            fragment.append(ValueList(values).fragment)
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

        /// Adds SQL as it is. Never text that comes from outside.
        public mutating func appendInterpolation(raw sql: String) { fragment.append(sql) }
    }
}

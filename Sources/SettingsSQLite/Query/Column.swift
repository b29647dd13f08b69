/// A column of a table, to build conditions, orders and assignments from.
///
/// ```swift
/// User.where(Column("age") >= 18 && !Column("name").like("A%")).ordered(by: Column("name").ascending)
/// ```
///
/// Comparisons are SQL's: `NULL` is neither equal nor unequal to any value, so `Column("locale") != "en"` omits the
/// rows without a locale. Find them with `Column("locale").isNull`, or by comparing with `nil`: `Column("locale") ==
/// nil`.
public struct Column: Sendable {
    /// The column's name. It is part of the program: quoted, and not a value.
    public let name: String

    /// Creates the column with a name.
    public init(_ name: String) { self.name = name }
}

extension Column {
    /// True for rows whose column equals the value; for nil, for rows whose column is `NULL`.
    public static func == <Value: SQLiteConvertible>(column: Column, value: Value?) -> SQLiteCondition {
        value == nil ? column.isNull : SQLiteCondition(sql: "\(column) = \(value)")
    }

    /// True for rows whose column has another value; for nil, for rows whose column has any value.
    public static func != <Value: SQLiteConvertible>(column: Column, value: Value?) -> SQLiteCondition {
        value == nil ? column.isNotNull : SQLiteCondition(sql: "\(column) <> \(value)")
    }

    /// True for rows whose column is `NULL`.
    public var isNull: SQLiteCondition { SQLiteCondition(sql: "\(self) IS NULL") }

    /// True for rows whose column is not `NULL`.
    public var isNotNull: SQLiteCondition { SQLiteCondition(sql: "\(self) IS NOT NULL") }

    /// True for rows whose column is `NULL`, as ``isNull``.
    public static func == (column: Column, value: _OptionalNilComparisonType) -> SQLiteCondition { column.isNull }

    /// True for rows whose column is not `NULL`, as ``isNotNull``.
    public static func != (column: Column, value: _OptionalNilComparisonType) -> SQLiteCondition { column.isNotNull }

    /// True for rows whose two columns are equal.
    public static func == (column: Column, other: Column) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) = \(other)")
    }

    /// True for rows whose two columns differ.
    public static func != (column: Column, other: Column) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) <> \(other)")
    }

    /// True for rows whose column is less than the value.
    public static func < <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) < \(value)")
    }

    /// True for rows whose column is at most the value.
    public static func <= <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) <= \(value)")
    }

    /// True for rows whose column is greater than the value.
    public static func > <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) > \(value)")
    }

    /// True for rows whose column is at least the value.
    public static func >= <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(sql: "\(column) >= \(value)")
    }

    /// True for rows whose column equals one of the values. Always false for an empty list.
    public func isOne<Value: SQLiteConvertible>(of values: some Sequence<Value>) -> SQLiteCondition {
        SQLiteCondition(sql: "\(self) IN \(Array(values))")
    }

    /// True for rows whose column has a value that is not in the list. True for every value if the list is empty.
    public func isNone<Value: SQLiteConvertible>(of values: some Sequence<Value>) -> SQLiteCondition {
        SQLiteCondition(sql: "\(self) NOT IN \(Array(values))")
    }

    /// True for rows whose column matches a pattern: `%` is any text, `_` any character; ASCII letters match in either
    /// case.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, which is bound as a value.
    ///   - escape: The character before a literal `%` or `_`.
    public func like(_ pattern: String, escape: Character? = nil) -> SQLiteCondition {
        guard let escape else { return SQLiteCondition(sql: "\(self) LIKE \(pattern)") }
        return SQLiteCondition(sql: "\(self) LIKE \(pattern) ESCAPE \(String(escape))")
    }

    /// Sorts by the column, smallest first; `NULL` before everything.
    public var ascending: SQLiteOrder { SQLiteOrder(sql: "\(self) ASC") }

    /// Sorts by the column, largest first; `NULL` after everything.
    public var descending: SQLiteOrder { SQLiteOrder(sql: "\(self) DESC") }

    /// An assignment for an update; nil for `NULL`.
    public func set<Value: SQLiteConvertible>(to value: Value?) -> SQLiteAssignment {
        SQLiteAssignment(sql: "\(self) = \(value)")
    }

    /// An assignment of `NULL` for an update.
    public func set(to value: _OptionalNilComparisonType) -> SQLiteAssignment {
        SQLiteAssignment(sql: "\(self) = NULL")
    }

    /// An assignment for an update: the raw value of an enumeration, or JSON text; nil for `NULL`.
    @_disfavoredOverload
    public func set<Value: Encodable>(to value: Value?) -> SQLiteAssignment {
        SQLiteAssignment(sql: "\(self) = \(value.map { CodableColumn($0) })")
    }
}

/// A column and the value that an update stores in it; made by `Column.set(to:)`.
public struct SQLiteAssignment: Sendable {
    let fragment: Fragment

    init(sql: SQLiteStatement) { fragment = sql.fragment }
}

/// A column and a direction to sort by; see ``Column/ascending``.
public struct SQLiteOrder: Sendable {
    let fragment: Fragment

    init(sql: SQLiteStatement) { fragment = sql.fragment }
}

/// A column of a table, to build conditions, orders and assignments from.
///
/// ```swift
/// User.where(Column("age") >= 18 && !Column("name").like("A%")).ordered(by: Column("name").ascending)
/// ```
///
/// Comparing is SQL's: `NULL` is neither equal nor unequal to any value, so `Column("locale") != "en"` leaves out the rows
/// without a locale. Find them with `Column("locale").isNull`, or by comparing with `nil`: `Column("locale") == nil`.
public struct Column: Sendable {
    /// The column's name, which is part of the program: it is quoted, but not a value.
    public let name: String

    /// The column of that name.
    public init(_ name: String) { self.name = name }
}

extension Column {
    /// Whether the column holds the value; whether it holds `NULL` for nil.
    public static func == <Value: SQLiteConvertible>(column: Column, value: Value?) -> SQLiteCondition {
        value == nil ? column.isNull : SQLiteCondition(column, "=", value)
    }

    /// Whether the column holds another value; whether it holds any for nil.
    public static func != <Value: SQLiteConvertible>(column: Column, value: Value?) -> SQLiteCondition {
        value == nil ? column.isNotNull : SQLiteCondition(column, "<>", value)
    }

    /// Whether the column holds `NULL`.
    public var isNull: SQLiteCondition { SQLiteCondition(self, "IS NULL") }

    /// Whether the column holds a value.
    public var isNotNull: SQLiteCondition { SQLiteCondition(self, "IS NOT NULL") }

    /// Whether the column holds `NULL`, as ``isNull``.
    public static func == (column: Column, value: _OptionalNilComparisonType) -> SQLiteCondition { column.isNull }

    /// Whether the column holds a value, as ``isNotNull``.
    public static func != (column: Column, value: _OptionalNilComparisonType) -> SQLiteCondition { column.isNotNull }

    /// Whether two columns hold the same value.
    public static func == (column: Column, other: Column) -> SQLiteCondition { SQLiteCondition(column, "=", other) }

    /// Whether two columns hold different values.
    public static func != (column: Column, other: Column) -> SQLiteCondition { SQLiteCondition(column, "<>", other) }

    /// Whether the column holds less than the value.
    public static func < <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(column, "<", value)
    }

    /// Whether the column holds the value or less.
    public static func <= <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(column, "<=", value)
    }

    /// Whether the column holds more than the value.
    public static func > <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(column, ">", value)
    }

    /// Whether the column holds the value or more.
    public static func >= <Value: SQLiteConvertible>(column: Column, value: Value) -> SQLiteCondition {
        SQLiteCondition(column, ">=", value)
    }

    /// Whether the column holds one of the values. Of none, none is.
    public func isOne<Value: SQLiteConvertible>(of values: some Sequence<Value>) -> SQLiteCondition {
        SQLiteCondition(self, "IN", ValueList(values))
    }

    /// Whether the column holds a value that is none of these. It holds for each value if there are none.
    public func isAbsent<Value: SQLiteConvertible>(among values: some Sequence<Value>) -> SQLiteCondition {
        SQLiteCondition(self, "NOT IN", ValueList(values))
    }

    /// Whether the column holds text of that pattern: `%` is any text, `_` any one character; ASCII letters match without
    /// regard to case.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, which is bound as a value.
    ///   - escape: What stands before a `%` or `_` that means itself.
    public func like(_ pattern: String, escape: Character? = nil) -> SQLiteCondition {
        var condition = SQLiteCondition(self, "LIKE", pattern)
        if let escape { condition.append(" ESCAPE ", String(escape)) }
        return condition
    }

    /// Smallest first; `NULL` before everything.
    public var ascending: SQLiteOrder { SQLiteOrder(column: self, isAscending: true) }

    /// Largest first; `NULL` after everything.
    public var descending: SQLiteOrder { SQLiteOrder(column: self, isAscending: false) }

    /// What an update is to store in the column; nil for `NULL`.
    public func set<Value: SQLiteConvertible>(to value: Value?) -> SQLiteAssignment {
        SQLiteAssignment(column: self, value: value)
    }

    /// What an update is to store in the column: `NULL`.
    public func set(to value: _OptionalNilComparisonType) -> SQLiteAssignment {
        SQLiteAssignment(column: self, value: SQLiteValue.null)
    }

    /// What an update is to store in the column: the raw value of an enumeration, or JSON text; nil for `NULL`.
    @_disfavoredOverload
    public func set<Value: Encodable>(to value: Value?) -> SQLiteAssignment {
        SQLiteAssignment(column: self, value: value.map { CodableColumn($0) })
    }
}

/// A column and the value that an update stores in it; made by `Column.set(to:)`.
public struct SQLiteAssignment: Sendable {
    let fragment: Fragment

    init(column: Column, value: (some SQLiteConvertible)?) {
        var fragment = Fragment()
        fragment.append(column: column)
        fragment.append(" = ")
        fragment.append(value: value)
        self.fragment = fragment
    }
}

/// A column and a direction to sort by; see ``Column/ascending``.
public struct SQLiteOrder: Sendable {
    let fragment: Fragment

    init(column: Column, isAscending: Bool) {
        var fragment = Fragment()
        fragment.append(column: column)
        fragment.append(isAscending ? " ASC" : " DESC")
        self.fragment = fragment
    }
}

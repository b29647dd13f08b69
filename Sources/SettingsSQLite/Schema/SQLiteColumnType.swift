/// What a column is declared as.
///
/// SQLite stores any value in any column, and converts what looks like a number where one is declared. The type says what to
/// expect, to people too.
public struct SQLiteColumnType: Sendable, Hashable {
    /// The name in SQL.
    public let name: String

    /// A type by its name in SQL, which is part of the program.
    public init(_ name: String) { self.name = name }

    /// Integers.
    public static let integer = Self("INTEGER")
    /// Floating-point numbers.
    public static let double = Self("DOUBLE")
    /// Floating-point numbers.
    public static let real = Self("REAL")
    /// Text: also `URL`, `UUID`, and what is `Codable`.
    public static let text = Self("TEXT")
    /// Bytes.
    public static let blob = Self("BLOB")
    /// `Bool`.
    public static let boolean = Self("BOOLEAN")
    /// `Date`: seconds since 1 January 2001, UTC.
    public static let date = Self("DOUBLE")
    /// Seconds, since whatever the program means.
    public static let timeInterval = Self("DOUBLE")
    /// Anything, stored as it is.
    public static let any = Self("BLOB")
}

/// The declared type of a column.
///
/// SQLite stores any value in any column, and converts text that looks like a number if the type is a number. The type
/// also informs people what to expect.
public struct SQLiteColumnType: Sendable, Hashable {
    /// The name in SQL.
    public let name: String

    /// Creates a type from its name in SQL, which is part of the program.
    public init(_ name: String) { self.name = name }

    /// Integers.
    public static let integer = Self("INTEGER")
    /// Floating-point numbers.
    public static let double = Self("DOUBLE")
    /// Floating-point numbers.
    public static let real = Self("REAL")
    /// Text: also for `URL`, `UUID`, and `Codable` types.
    public static let text = Self("TEXT")
    /// Bytes.
    public static let blob = Self("BLOB")
    /// `Bool`.
    public static let boolean = Self("BOOLEAN")
    /// `Date`: seconds since 1 January 2001, UTC.
    public static let date = Self("DOUBLE")
    /// Seconds, from a reference that the program defines.
    public static let timeInterval = Self("DOUBLE")
    /// Any value, stored without conversion.
    public static let any = Self("BLOB")
}

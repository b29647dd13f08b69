/// A type whose values are rows of a table.
///
/// ```swift
/// extension User: SQLiteRecord {
///     static let tableName = "users"
///
///     func save(into row: inout SQLiteRow) throws {
///         row["id"] = id
///         row["name"] = name
///     }
///
///     static func load(from row: SQLiteRow) throws -> User {
///         User(id: try row["id"], name: try row["name"])
///     }
/// }
/// ```
public protocol SQLiteRecord {
    /// The name of the table; case does not matter.
    static var tableName: String { get }

    /// Puts the columns into a row. Columns that it leaves out get their defaults in a new row, and keep what they have in a
    /// row that is there.
    ///
    /// - Throws: whatever says that this record cannot be stored; nothing is then.
    func save(into row: inout SQLiteRow) throws

    /// Makes a record of a row.
    ///
    /// - Throws: whatever says that the row is none of this type; the whole selection fails then.
    static func load(from row: SQLiteRow) throws -> Self
}

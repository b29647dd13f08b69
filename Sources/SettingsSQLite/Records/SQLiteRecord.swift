/// A type whose values are rows of a table.
///
/// A `Codable` type needs only the table's name: each member is stored in the column with the name of its coding key.
///
/// ```swift
/// struct User: SQLiteRecord, Codable {
///     static let tableName = "users"
///     var id: Int
///     var name: String
///     var address: Address?
/// }
/// ```
///
/// A member whose type is ``SQLiteConvertible``, or an enumeration with a raw value of such a type, is stored as that
/// type requires; any other member as JSON text, and nil as `NULL`. For other columns, implement one or both of the
/// functions:
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

    /// Adds the columns to a row. By default, encodes the record with `Codable`. Omitted columns get their defaults in
    /// a new row, and keep their values in an existing one.
    ///
    /// - Throws: an error if this record cannot be stored; nothing is stored then.
    func save(into row: inout SQLiteRow) throws

    /// Creates a record from a row. By default, decodes it with `Codable`.
    ///
    /// - Throws: an error if the row is not a record of this type; the whole selection fails then.
    static func load(from row: SQLiteRow) throws -> Self
}

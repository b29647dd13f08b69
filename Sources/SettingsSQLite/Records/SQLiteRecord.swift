/// A type whose values are rows of a table.
///
/// A `Codable` type needs nothing but the table's name: each member is stored in the column with the name of its coding key.
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
/// A member whose type is ``SQLiteConvertible``, or an enumeration with a raw value of such a type, is stored as that type says;
/// any other member as JSON text, and nil as `NULL`. For other columns, write one or both of the functions:
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

    /// Puts the columns into a row; by default, as `Codable` encodes the record. Columns that it leaves out get their defaults
    /// in a new row, and keep their values in a row that is there.
    ///
    /// - Throws: An error that says why this record cannot be stored; nothing is stored then.
    func save(into row: inout SQLiteRow) throws

    /// Makes a record from a row; by default, as `Codable` decodes it.
    ///
    /// - Throws: An error that says why the row is no record of this type; the whole selection fails then.
    static func load(from row: SQLiteRow) throws -> Self
}

/// Upgrades a schema from one version to the next.
///
/// ```swift
/// struct V01: SQLiteSchemaVersion {
///     let id = "v01"
///
///     func upgrade(_ database: SQLiteDatabase) throws {
///         try database.create(table: User.tableName) { table in
///             table.column("id", .integer).notNull().primaryKey()
///             table.column("name", .text).notNull()
///         }
///     }
/// }
/// ```
///
/// A version is applied once, in a transaction, and its id is recorded in the table `settingskit_versions`. Never
/// change a released version: add another. Foreign keys are not enforced while a version is applied, so deleting a row
/// deletes no others. If references are broken at the end, the version fails.
public protocol SQLiteSchemaVersion {
    /// The id of the version: unique among the versions of the database, and never changed.
    var id: String { get }

    /// Upgrades the database from the version before to this one.
    ///
    /// - Throws: an error if this is not possible; the database then keeps the version before.
    func upgrade(_ database: SQLiteDatabase) throws
}

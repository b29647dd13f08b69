/// A step from one version of a schema to the next.
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
/// A version is applied once, in a transaction, and its id is noted in the table `settingskit_versions`. Never change one that
/// has been released: add another. Foreign keys are not enforced while a version is applied, so nothing is deleted along with
/// something else; rows that refer to nothing afterwards make it fail.
public protocol SQLiteSchemaVersion {
    /// What tells the version from all others of the database, for ever.
    var id: String { get }

    /// Brings the database from the version before to this one.
    ///
    /// - Throws: whatever says that this is not possible; the database is then as it was.
    func upgrade(_ database: SQLiteDatabase) throws
}

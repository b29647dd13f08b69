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

    /// The ids of earlier versions that this version replaces by a single step; none by default.
    ///
    /// ```swift
    /// struct V10: SQLiteSchemaVersion {
    ///     let id = "v10"
    ///     let replaces = ["v01", "v02", "v03"]
    ///     ...
    /// }
    /// ```
    ///
    /// A new database is created by this version alone. A database to which all of these ids were applied already has
    /// it. If only some were applied, the others are applied first, if the program still lists them before this
    /// version; otherwise the database is refused with `schemaTooOld`. Keep the ids here as long as databases made with
    /// them may exist.
    var replaces: [String] { get }

    /// Upgrades the database from the version before to this one.
    ///
    /// - Throws: an error if this is not possible; the database then keeps the version before.
    func upgrade(_ database: SQLiteDatabase) throws
}

extension SQLiteSchemaVersion {
    /// Replaces no other version.
    public var replaces: [String] { [] }
}

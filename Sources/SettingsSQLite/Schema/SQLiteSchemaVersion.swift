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
/// A version is applied once, in a transaction, and its id is recorded in the table `settingskit_versions`. Never change one
/// that has been released: add another. Foreign keys are not enforced while a version is applied, so nothing is deleted along
/// with something else; rows that refer to nothing afterwards make it fail.
public protocol SQLiteSchemaVersion {
    /// The id of the version: unique among the versions of the database, and never changed.
    var id: String { get }

    /// The ids of earlier versions whose work this one does in a single step; none by default.
    ///
    /// ```swift
    /// struct V10: SQLiteSchemaVersion {
    ///     let id = "v10"
    ///     let replaces = ["v01", "v02", "v03"]
    ///     ...
    /// }
    /// ```
    ///
    /// A new database is made by this version alone. A database to which all of these ids were applied already has it. One to
    /// which only some were applied gets the others first, if the program still lists them, before this version; otherwise it
    /// is refused with `schemaTooOld`. Keep the ids here as long as there may be databases that were made with them.
    var replaces: [String] { get }

    /// Brings the database from the version before to this one.
    ///
    /// - Throws: An error that says why this is not possible; the database then keeps the version before.
    func upgrade(_ database: SQLiteDatabase) throws
}

extension SQLiteSchemaVersion {
    /// Replaces no other version.
    public var replaces: [String] { [] }
}

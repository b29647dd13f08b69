import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A structure of parameters with its own table, which has a column for each. It is read and written like variables.
///
/// ```swift
/// struct Parameters: SQLiteSettingsRecord {
///     static let tableName = "settings"
///     static let empty = Parameters()
///     var isDetailed = false
///     var apiURL: URL?
/// }
///
/// let settings = try SettingsStorage<Parameters>(name: "Settings", at: folder, versions: [V01()])
/// settings.isDetailed = true
/// ```
///
/// The table has one row, which is created when a parameter is first set. Without it, the record is
/// `SettingsRecord.empty`. Later, only columns that change are written. A column that `empty` does not fill must allow
/// `NULL`. Columns have the names of the coding keys; for others, implement ``SQLiteRecord/save(into:)`` and
/// ``SQLiteRecord/load(from:)``.
public protocol SQLiteSettingsRecord: SettingsRecord, SQLiteRecord {}

extension SQLiteSettingsRecord {
    /// Adds the columns to the row.
    public func save(into row: inout SettingsRow) throws {
        for (name, value) in try columns() { row.put(try ColumnText.data(of: value), under: name) }
    }

    /// Creates a record from the columns. While the table has no row, they have the values of `SettingsRecord.empty`.
    public static func load(from row: SettingsRow) throws -> Self {
        try load(
            from: SQLiteRow(
                SQLiteRow.Fields { name in
                    guard let data = row.data(name) ?? row.defaultData(name) else { return .null }
                    return try ColumnText.value(of: data)
                } record: { error, name in
                    row.record(error, with: name, data: row.data(name) ?? SettingsRow.null)
                }))
    }

    func columns() throws -> [(name: String, value: SQLiteValue)] {
        var row = SQLiteRow()
        try save(into: &row)
        if let error = row.error { throw error }
        return row.entries
    }
}

extension SettingsStorage where Record: SQLiteSettingsRecord {
    /// Creates a record with its own table, in the database `NAME.sqlite` in a folder.
    ///
    /// Any number of storages, processes and other programs may use the database at the same time.
    ///
    /// - Parameters:
    ///   - name: The name of the database's file, without its extension.
    ///   - folder: The folder of the file. It is created if it is missing.
    ///   - versions: The versions of the schema, oldest first; one of them creates the table.
    /// - Throws: `SettingsError`, as ``SQLiteStorage/init(at:versions:options:)`` does; with the code
    ///   `unexpectedTable` if there is no table for the record.
    public convenience init(name: String, at folder: URL, versions: [any SQLiteSchemaVersion]) throws {
        let url = folder.appendingPathComponent("\(name).sqlite")
        let path = try DatabaseFile.path(of: url, store: "SettingsStorage")
        let description = "SettingsStorage \(path) (\(Record.tableName))"
        try SchemaUpgrade(versions, of: "table \(Record.tableName)", checksForeignKeys: true).run(
            at: path, description: description)
        let settings = try SQLiteStore.openStores.object(for: SQLiteStore.key(path, Record.tableName, name)) {
            try MirroredSettings(
                path: path,
                layout: RowLayout(table: Record.tableName, prefix: "\(name):", initial: Record.empty.columns()),
                description: description, isWatching: true)
        }
        try self.init(name: name, in: SQLiteStore(settings))
    }
}

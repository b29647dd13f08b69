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
    func columns() throws -> [(name: String, value: SQLiteValue)] {
        var row = SQLiteRow()
        try save(into: &row)
        if let error = row.error { throw error }
        return row.entries
    }
}

extension RecordMapping where Record: SQLiteSettingsRecord {
    /// The mapping of a record's columns.
    fileprivate static var columns: RecordMapping {
        RecordMapping { record in
            try record.columns().map { ($0.name, try ColumnText.data(of: $0.value)) }
        } record: { reading in
            var rejected: Set<String> = []
            while true {
                let columns = Columns(reading, without: rejected)
                do {
                    let record = try Record.load(from: columns.row)
                    if columns.rejected == rejected { return record }
                } catch {
                    if columns.rejected == rejected { throw error }
                }
                rejected = columns.rejected
            }
        }
    }
}

/// The columns of a record that is read. One that holds something else has the value of the empty record.
private final class Columns {
    private let reading: RecordReading
    /// The columns that hold something else.
    private(set) var rejected: Set<String>

    init(_ reading: RecordReading, without rejected: Set<String>) {
        (self.reading, self.rejected) = (reading, rejected)
    }

    var row: SQLiteRow {
        SQLiteRow(
            SQLiteRow.Fields { [self, known = rejected] name in
                let bytes = known.contains(name) ? reading.defaultBytes(name) : reading.bytes(name)
                do {
                    return try bytes.map(ColumnText.value) ?? .null
                } catch {
                    reject(name, because: error)
                    throw error
                }
            } record: { [self] error, name in
                reject(name, because: error)
            })
    }

    private func reject(_ name: String, because error: any Error) {
        if rejected.insert(name).inserted { reading.reject(name, because: error) }
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
        let settings = try SQLiteStore.settings(for: SQLiteStore.key(path, Record.tableName, name)) {
            try MirroredSettings(
                path: path,
                layout: RowLayout(table: Record.tableName, prefix: "\(name):", initial: Record.empty.columns()),
                description: description, isWatching: true)
        }
        try self.init(name: name, in: SQLiteStore(settings), mapping: .columns)
    }
}

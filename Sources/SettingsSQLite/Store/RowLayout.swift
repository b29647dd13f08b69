import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A column for each setting, in the first row of a table.
///
/// Without a row, nothing is stored. A new row has all columns, so `NULL` in it is a stored value.
struct RowLayout: SettingsLayout {
    /// The prefix of the settings' names, before the column's name.
    let prefix: String
    /// The values of a new row's other columns.
    let initial: [(name: String, value: SQLiteValue)]
    private let table: String
    private let name: String
    private let select: String
    private let isFirst: String

    init(table: String, prefix: String, initial: [(name: String, value: SQLiteValue)]) {
        self.prefix = prefix
        self.initial = initial
        self.table = table
        name = Identifier.quoted(table)
        select = "SELECT * FROM \(name) ORDER BY rowid LIMIT 1"
        isFirst = "rowid = (SELECT rowid FROM \(name) ORDER BY rowid LIMIT 1)"
    }

    func prepare(_ connection: Connection) throws {
        do {
            _ = try connection.statement(select)
        } catch {
            throw SettingsError(.unexpectedTable, store: connection.description, underlying: error)
        }
    }

    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange] {
        let before = try contents(on: connection)
        let values = try writes.filter { $0.name.hasPrefix(prefix) }.map { write in
            let column = String(write.name.dropFirst(prefix.count))
            return (name: column, value: try write.newData.map(ColumnText.value) ?? .null)
        }
        if before.isEmpty {
            try insert(values, connection)
        } else if Set(before.keys).isSubset(of: writes.filter { $0.newData == nil }.map(\.name)) {
            try connection.statement("DELETE FROM \(name) WHERE \(isFirst)").run()
        } else {
            try update(values, connection)
        }
        return before.changes(to: try contents(on: connection))
    }

    private func insert(_ values: [(name: String, value: SQLiteValue)], _ connection: Connection) throws {
        let others = initial.filter { entry in !values.contains { Identifier.areSame($0.name, entry.name) } }
        let entries = values + others
        guard !entries.isEmpty else { return }
        try Insertion(into: table, entries.map(\.name), on: connection).plain.run(entries.map(\.value))
    }

    private func update(_ values: [(name: String, value: SQLiteValue)], _ connection: Connection) throws {
        guard !values.isEmpty else { return }
        let columns = values.map { "\(Identifier.quoted($0.name)) = ?" }.joined(separator: ", ")
        try connection.statement("UPDATE \(name) SET \(columns) WHERE \(isFirst)").run(values.map(\.value))
    }

    /// The values of the row under the names of the settings; empty without a row.
    func contents(on connection: Connection) throws -> [String: Data] {
        var row: [String: Data] = [:]
        let statement = try connection.statement(select)
        try statement.forEachRow([]) {
            for (index, column) in statement.columnNames.enumerated() where !column.utf8.contains(0) {
                // Spelled as in the record; SQLite ignores case.
                let name = initial.first { Identifier.areSame($0.name, column) }?.name ?? column
                row[prefix + name] = try ColumnText.data(of: statement.value(at: index))
            }
            return false
        }
        return row
    }
}

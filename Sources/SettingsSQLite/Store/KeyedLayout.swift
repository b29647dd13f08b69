import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A row for each setting: its name, and its value, as text if it is readable, as JSON is.
///
/// ```sql
/// CREATE TABLE settings (
///     -- SettingsKit, format 1: a row a setting; its value is JSON, or bytes where it is something else.
///     name TEXT NOT NULL PRIMARY KEY,
///     value NOT NULL
/// )
/// ```
///
/// SQLite keeps this text with its comment as the table's definition. The number of the format determines who may write
/// the table.
struct KeyedLayout: SettingsLayout {
    static let format = 1

    let table: String
    private let name: String
    private let select: String
    private let selectNames: String
    private let upsert: String
    private let delete: String

    init(table: String) {
        self.table = table
        name = Identifier.quoted(table)
        select = "SELECT name, value FROM \(name)"
        selectNames = "SELECT name FROM \(name) WHERE value IS NOT NULL"
        upsert =
            "INSERT INTO \(name) (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        delete = "DELETE FROM \(name) WHERE name = ?"
    }

    func prepare(_ connection: Connection, isTableRequired: Bool) throws {
        if try hasTable(connection) { return }
        if isTableRequired {
            throw SettingsError(
                .unexpectedTable, store: connection.description,
                underlying: SQLiteProblem("There is no table \(table)."))
        }
        // There is nothing to read, and writing will throw the reason.
        if connection.isReadOnly { return }
        try connection.transaction(writing: true) {
            if try !hasTable(connection) { try create(connection) }
        }
    }

    private func create(_ connection: Connection) throws {
        try connection.statement(
            """
            CREATE TABLE \(name) (
                -- SettingsKit, format \(Self.format): a row a setting; its value is JSON, or bytes where it is something else.
                name TEXT NOT NULL PRIMARY KEY,
                value NOT NULL
            )
            """
        ).run()
    }

    /// - Throws: `SettingsError` with the code `newerVersion` or `unexpectedTable`.
    private func hasTable(_ connection: Connection) throws -> Bool {
        guard let table = try TableDescription(of: table, on: connection) else { return false }
        if let format = Self.format(in: table.definition), format > Self.format {
            throw SettingsError(
                .schemaTooNew, store: connection.description,
                underlying: SQLiteProblem(
                    "The table \(self.table) has format \(format); this version reads format \(Self.format)."))
        }
        // A column of another type makes 1 of the text "1.0".
        let keepsText = { (column: TableDescription.Column) in ["", "TEXT", "BLOB"].contains(column.type.uppercased()) }
        let isOurs = table.columns.allSatisfy {
            switch $0.name.lowercased() {
            case "name": $0.primaryKeyPosition == 1 && keepsText($0)
            case "value": $0.primaryKeyPosition == 0 && keepsText($0)
            default: !$0.isRequired && $0.primaryKeyPosition == 0
            }
        }
        guard isOurs, table.column(named: "name") != nil, table.column(named: "value") != nil else {
            throw SettingsError(
                .unexpectedTable, store: connection.description,
                underlying: SQLiteProblem(
                    "The table \(self.table) is not a table of settings: it needs a column name, TEXT and the primary key, and a "
                        + "column value, TEXT or without a type; other columns may be NULL."))
        }
        return true
    }

    /// The number of the format in a table's definition; nil for a table that this library has not created.
    static func format(in definition: String) -> Int? {
        guard let mark = definition.firstRange(of: "SettingsKit, format ") else { return nil }
        return Int(definition[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }

    func changes(since contents: [String: Data], on connection: Connection) throws -> [SettingsStoreChange] {
        // A newer version or another program may have created or dropped it, or its creation may have failed.
        let schema = try connection.integer("PRAGMA schema_version")
        if connection.checkedTables[table] != schema {
            if try hasTable(connection) {
                connection.checkedTables[table] = schema
            } else {
                connection.checkedTables[table] = nil
                return contents.map { .init(name: $0.key, from: $0.value, to: nil) }
            }
        }
        var changes: [SettingsStoreChange] = []
        var known = 0
        var spelledOtherwise: Set<String> = []
        let statement = try connection.statement(select)
        try statement.forEachRow([]) {
            guard case .text(let name) = statement.value(at: 0), !statement.isNull(1) else { return true }
            // Other programs can store a name in two spellings; the first one is the setting.
            if !name.utf8.allSatisfy({ $0 < 0x80 }) && !spelledOtherwise.insert(name).inserted { return true }
            let old = contents[name]
            if old != nil { known += 1 }
            let isEqual = statement.withBytes(at: 1) { bytes in old?.withUnsafeBytes { $0.elementsEqual(bytes) } }
            if isEqual != true { changes.append(.init(name: name, from: old, to: statement.bytes(at: 1))) }
            return true
        }
        if known == contents.count { return changes }
        var gone = contents
        let names = try connection.statement(selectNames)
        try names.forEachRow([]) {
            if case .text(let name) = names.value(at: 0) { gone[name] = nil }
            return true
        }
        return changes + gone.map { .init(name: $0.key, from: $0.value, to: nil) }
    }

    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange] {
        if connection.checkedTables[table] == nil, try !hasTable(connection) { try create(connection) }
        for write in writes {
            if let data = write.newData {
                try connection.statement(upsert).run([.text(write.name), Self.value(of: data)])
            } else {
                try connection.statement(delete).run([.text(write.name)])
            }
        }
        return writes
    }

    /// Text if it is readable, otherwise bytes.
    private static func value(of data: Data) -> SQLiteValue {
        let text: String? = data.withUnsafeBytes { bytes in
            bytes.contains(0) ? nil : String(utf8: bytes.bindMemory(to: UInt8.self))
        }
        return text.map(SQLiteValue.text) ?? .blob(data)
    }
}

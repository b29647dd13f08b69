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
    private let upsert: String
    private let delete: String

    init(table: String) {
        self.table = table
        name = Identifier.quoted(table)
        select = "SELECT name, value FROM \(name)"
        upsert =
            "INSERT INTO \(name) (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        delete = "DELETE FROM \(name) WHERE name = ?"
    }

    func prepare(_ connection: Connection) throws {
        if !connection.isReadOnly, try TableDescription(of: table, on: connection) == nil {
            try connection.statement(
                """
                CREATE TABLE IF NOT EXISTS \(name) (
                    -- SettingsKit, format \(Self.format): a row a setting; its value is JSON, or bytes where it is something else.
                    name TEXT NOT NULL PRIMARY KEY,
                    value NOT NULL
                )
                """
            ).run()
        }
        try requireTable(connection)
    }

    /// - Throws: `SettingsError` with the code `newerVersion` or `unexpectedTable`.
    private func requireTable(_ connection: Connection) throws {
        guard let table = try TableDescription(of: table, on: connection) else {
            throw SettingsError(
                .unexpectedTable, store: connection.description,
                underlying: SQLiteProblem("There is no table \(table)."))
        }
        if let format = Self.format(in: table.definition), format > Self.format {
            throw SettingsError(
                .newerVersion, store: connection.description,
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
    }

    /// The number of the format in a table's definition; nil for a table that this library has not created.
    static func format(in definition: String) -> Int? {
        guard let mark = definition.firstRange(of: "SettingsKit, format ") else { return nil }
        return Int(definition[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }

    func contents(on connection: Connection) throws -> [String: Data] {
        // A newer version or another program may have replaced it.
        try requireTable(connection)
        var contents: [String: Data] = [:]
        let statement = try connection.statement(select)
        try statement.forEachRow([]) {
            // Other programs can store a name in two spellings; the first one is the setting.
            if case .text(let name) = statement.value(at: 0), !statement.isNull(1), contents[name] == nil {
                contents[name] = statement.bytes(at: 1)
            }
            return true
        }
        return contents
    }

    func write(_ writes: [SettingsStoreChange], on connection: Connection) throws -> [SettingsStoreChange] {
        for write in writes {
            let (statement, values) = try statement(for: write.newData, under: write.name, on: connection)
            try statement.run(values)
        }
        return writes
    }

    /// The statement that stores or removes data under a name, and its values.
    func statement(
        for data: Data?, under name: String, on connection: Connection
    ) throws -> (statement: Statement, values: [SQLiteValue]) {
        if let data { return (try connection.statement(upsert), [.text(name), Self.value(of: data)]) }
        return (try connection.statement(delete), [.text(name)])
    }

    /// Text if it is readable, otherwise bytes.
    private static func value(of data: Data) -> SQLiteValue {
        let text: String? = data.withUnsafeBytes { bytes in
            bytes.contains(0) ? nil : String(utf8: bytes.bindMemory(to: UInt8.self))
        }
        return text.map(SQLiteValue.text) ?? .blob(data)
    }
}

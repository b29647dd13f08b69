import SettingsSQLite

struct User: Equatable, Sendable {
    var id: Int
    var name: String
    var locale: String?
    var demo: Bool?
}

extension User: SQLiteRecord {
    static let tableName = "users"

    func save(into row: inout SQLiteRow) throws {
        row["id"] = id
        row["name"] = name
        row["locale"] = locale
        row["demo"] = demo
    }

    static func load(from row: SQLiteRow) throws -> User {
        User(id: try row["id"], name: try row["name"], locale: row["locale"], demo: row["demo"])
    }
}

struct V01: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        let none: String? = nil
        try database.create(table: User.tableName) { table in
            table.column("id", .integer).notNull().primaryKey()
            table.column("name", .text).notNull()
            table.column("locale", .text).defaults(to: none)
        }
    }
}

struct V02: SQLiteSchemaVersion {
    let id = "v02"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.alter(table: User.tableName) { $0.add(column: "demo", .boolean) }
    }
}

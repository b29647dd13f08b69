import SettingsSQLite

/// A user of the vault. `Codable` maps each property to the column of its name.
struct User: SQLiteRecord, Codable, Sendable {
    static let tableName = "users"

    enum Role: String, SQLiteConvertible, Codable, Sendable {
        case guest, owner
    }

    var id: Int
    var name: String
    var role = Role.guest
}

/// The first version of the schema.
struct V01: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: User.tableName) { table in
            table.column("id", .integer).notNull().primaryKey()
            table.column("name", .text).notNull()
        }
    }
}

/// The second version of the schema adds roles.
struct V02: SQLiteSchemaVersion {
    let id = "v02"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.alter(table: User.tableName) {
            $0.add(column: "role", .text).notNull().defaults(to: User.Role.guest)
        }
    }
}

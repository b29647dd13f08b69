import SettingsSQLite

/// Somebody who may open the vault.
struct User: Sendable {
    enum Role: String, SQLiteConvertible, Sendable {
        case guest, owner
    }

    var id: Int
    var name: String
    var role = Role.guest
}

extension User: SQLiteRecord {
    static let tableName = "users"

    func save(into row: inout SQLiteRow) throws {
        row["id"] = id
        row["name"] = name
        row["role"] = role
    }

    static func load(from row: SQLiteRow) throws -> User {
        User(id: try row["id"], name: try row["name"], role: try row["role"])
    }
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

/// The second one knows roles.
struct V02: SQLiteSchemaVersion {
    let id = "v02"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.alter(table: User.tableName) {
            $0.add(column: "role", .text).notNull().defaults(to: User.Role.guest)
        }
    }
}

// Settings of a custom scope and a table of users in one SQLite database, with a live query. Run it with `swift run Vault`.

import Foundation
import SettingsKit
import SettingsSQLite

/// Ends the example if a condition is false.
func check(_ condition: Bool, _ statement: String) {
    if condition { return }
    print("This should be true, and is not: \(statement)")
    exit(1)
}

extension SettingsService.SettingDefinition {
    static let pin = Setting<String>("pin", in: .custom(id: "vault"), default: "")
    static let attempts = Setting<Int>("attempts", in: .custom(id: "vault"), default: 3)
    static let owner = Setting<Int?>("owner", in: .custom(id: "vault"))
}

func useVault(at file: URL) async throws {
    // MARK: Settings

    print("Look at the live query: it prints the guests again each time that the list changes, and only then.")
    let vault = try SQLiteStore(at: file)
    let settings = SettingsService(defaults: nil, storesForCustomScopes: [.custom(id: "vault"): vault])
    settings.set(.pin, to: "1234")
    settings.update(.attempts) { $0 -= 1 }
    print("1. Settings: \(settings.get(.attempts)) attempts are left")

    // MARK: Records

    let storage = try SQLiteStorage(at: file, versions: [V01(), V02()])
    try await storage.write { database in
        try database.save([User(id: 7, name: "Ann", role: .owner), User(id: 8, name: "Bob"), User(id: 9, name: "Eve")])
    }
    let owners: [User] = try await storage.read { try $0.select(User.where(Column("role") == User.Role.owner)) }
    check(owners.map(\.name) == ["Ann"], "Ann is the owner")
    settings.set(.owner, to: owners.first?.id)
    print("2. Records in the same file: the owner is \(owners.map(\.name).joined())")

    // MARK: A live query

    print("3. A live query of the guests:")
    let guests = storage.values { database -> [String] in
        let users: [User] = try database.select(
            User.where(Column("role") == User.Role.guest).ordered(by: Column("name").ascending))
        return users.map(\.name)
    }
    var results: [[String]] = []
    for await names in guests {
        print("   guests: \(names.joined(separator: ", "))")
        results.append(names)
        switch results.count {
        case 1:
            // A change of the setting or of the owner does not change the query's result.
            settings.update(.attempts) { $0 -= 1 }
            try await storage.write {
                try $0.update(User.where(Column("id") == 7), set: [Column("name").set(to: "Anna")])
            }
            try await storage.write { try $0.save(User(id: 10, name: "O'Neill'); DROP TABLE users; --")) }
        case 2:
            try await storage.write { _ = try $0.delete(User.where(Column("id").isNone(of: [7, 8]))) }
        default:
            break
        }
        if results.count == 3 { break }
    }
    check(results.map(\.count) == [2, 3, 1], "each change of the result is published once")

    // MARK: Errors

    print("4. A write that the schema forbids:")
    await storage.write { database in
        try database.save(User(id: 11, name: "Zoe"))
        try database.insert(User(id: 8, name: "Second Bob"))
    } catch: {
        print("   \($0)")
    }
    check(try await storage.read { try $0.count(User.all) } == 2, "a failed write stores nothing")

    // MARK: The file

    print("5. Tables of \(file.lastPathComponent):")
    try await storage.read { database in
        try database.forEachRow(sql: "SELECT name, value FROM settings ORDER BY name") { row in
            let (name, value): (String, String) = (try row["name"], try row["value"])
            print("   settings: \(name) = \(value)")
        }
        try database.forEachRow(sql: "SELECT id, name, role FROM \(User.self) ORDER BY \(Column("id"))") { row in
            let (id, name, role): (Int, String, String) = (try row["id"], try row["name"], try row["role"])
            print("   users: \(id), \(name), \(role)")
        }
    }
    try settings.synchronize()

    // MARK: A backup

    let backup = file.deletingLastPathComponent().appendingPathComponent("Backup.sqlite")
    try await storage.backup(to: backup)
    print("6. Backup: copied to \(backup.lastPathComponent)")
    check(try SQLiteStore(at: backup).keys().sorted() == ["attempts", "owner", "pin"], "the backup holds the settings")
}

// The database is closed when the function returns. An open store would report that its file was removed.
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("Vault-\(ProcessInfo.processInfo.processIdentifier)")
defer { try? FileManager.default.removeItem(at: folder) }
try await useVault(at: folder.appendingPathComponent("Vault.sqlite"))

// A vault: settings of a custom scope and a table of users in one SQLite database, with a live query. It lives in a temporary
// directory; what people would ask of it with `sqlite3` is asked at the end.

import Foundation
import SettingsKit
import SettingsSQLite

func check(_ isSo: Bool, _ what: String) {
    if isSo { return }
    print("This should hold, and does not: \(what)")
    exit(1)
}

extension SettingsService.SettingDefinition {
    static let pin = Setting<String>("pin", in: .custom(id: "vault"), default: "")
    static let attempts = Setting<Int>("attempts", in: .custom(id: "vault"), default: 3)
    static let owner = Setting<Int?>("owner", in: .custom(id: "vault"))
}

func useVault(at file: URL) async throws {
    // MARK: Settings

    let vault = try SQLiteStore(at: file)
    let settings = SettingsService(defaults: nil, storesForCustomScopes: [.custom(id: "vault"): vault])
    settings.set(.pin, to: "1234")
    settings.update(.attempts) { $0 -= 1 }
    print("1. Settings of the scope \"vault\": \(settings.get(.attempts)) attempts are left.")

    // MARK: Records

    let storage = try SQLiteStorage(at: file, versions: [V01(), V02()])
    try await storage.write { database in
        try database.save([User(id: 7, name: "Ann", role: .owner), User(id: 8, name: "Bob"), User(id: 9, name: "Eve")])
    }
    let owners: [User] = try await storage.read { try $0.select(User.where(Column("role") == User.Role.owner)) }
    check(owners.map(\.name) == ["Ann"], "Ann is the owner")
    settings.set(.owner, to: owners.first?.id)
    print("2. Users in the same file; the owner is \(owners.map(\.name).joined()).")

    // MARK: A live query

    print("3. A live query hears of changes to the guests, and of no others:")
    let guests = storage.keepInformed { database -> [String] in
        let users: [User] = try database.select(
            User.where(Column("role") == User.Role.guest).ordered(by: Column("name").ascending))
        return users.map(\.name)
    }
    var heard: [[String]] = []
    for await names in guests {
        print("   guests: \(names.joined(separator: ", "))")
        heard.append(names)
        switch heard.count {
        case 1:
            // Neither the setting nor the owner's new name is of interest to who asks for guests.
            settings.update(.attempts) { $0 -= 1 }
            try await storage.write {
                try $0.update(User.where(Column("id") == 7), set: [Column("name").set(to: "Anna")])
            }
            try await storage.write { try $0.save(User(id: 10, name: "O'Neill'); DROP TABLE users; --")) }
        case 2:
            try await storage.write { _ = try $0.delete(User.where(Column("id").isAbsent(among: [7, 8]))) }
        default:
            break
        }
        if heard.count == 3 { break }
    }
    check(heard.map(\.count) == [2, 3, 1], "each change is heard once")

    // MARK: Errors

    print("4. What the schema does not allow is an error that says so, and nothing of it is stored:")
    await storage.write { database in
        try database.save(User(id: 11, name: "Zoe"))
        try database.insert(User(id: 8, name: "Second Bob"))
    } catch: {
        print("   \($0)")
    }
    check(try await storage.read { try $0.count(User.all) } == 2, "the write that failed has stored nothing")

    // MARK: The file

    print("5. People and tools see this in \(file.lastPathComponent):")
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
    try await storage.backup(to: backup) { progress in
        print("6. \(Int(progress.fractionCompleted * 100)) % of the vault is copied to \(backup.lastPathComponent).")
    }
    check(try SQLiteStore(at: backup).keys().sorted() == ["attempts", "owner", "pin"], "the backup holds the settings")
}

// Only when the function has returned is the database closed. An open store would report that its file is gone.
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Vault-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
try await useVault(at: folder.appendingPathComponent("Vault.sqlite"))

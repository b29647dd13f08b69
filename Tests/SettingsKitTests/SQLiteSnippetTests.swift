import Foundation
import Observation
import SettingsKit
import SettingsSQLite
import Testing

// The Swift snippets of the articles about databases, as compiled code: `.ci/docs` compares them line by line. What is carried
// out by a test is noted with it.

private struct Address: Codable, Equatable, Sendable {
    var town: String
}

// MARK: The overview

private func openVault(at file: URL) throws -> SettingsService {
    let vault = try SQLiteStore(at: file)
    return SettingsService(storesForCustomScopes: [
        .custom(id: "vault"): vault
    ])
}

private func renameUser(
    _ id: Int, to name: String, in storage: SQLiteStorage
) async throws -> User? {
    try await storage.write {
        try $0.update(
            User.where(Column("id") == id),
            set: [Column("name").set(to: name)])
    }
    return try await storage.read {
        try $0.select(User.where(Column("id") == id))
    }
}

// MARK: Settings in a database

extension SettingsService.SettingDefinition {
    fileprivate static let pin = Setting<String>(
        "pin", in: .custom(id: "vault"), default: "")
    fileprivate static let attempts = Setting<Int>(
        "attempts", in: .custom(id: "vault"), default: 3)
}

private func useVault(at file: URL) throws {
    let settings = SettingsService(storesForCustomScopes: [
        .custom(id: "vault"): try SQLiteStore(at: file)
    ])
    settings.set(.pin, to: "1234")
    settings.update(.attempts) { $0 -= 1 }
}

private struct Parameters: SQLiteSettingsRecord {
    static let tableName = "parameters"
    static let empty = Parameters()

    var isDetailed = false
    var apiURL: URL?
}

private struct ParametersV01: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: Parameters.tableName) { table in
            table.column("isDetailed", .boolean).notNull()
            table.column("apiURL", .text)
        }
    }
}

private func openParameters(in folder: URL) throws -> SettingsStorage<Parameters> {
    try SettingsStorage<Parameters>(
        name: "Parameters", at: folder, versions: [ParametersV01()])
}

// MARK: Records in a database

private struct User: SQLiteRecord, Codable, Sendable {
    static let tableName = "users"

    var id: Int
    var name: String
    var locale: String?
    var address: Address?
}

private struct Visit: Sendable {
    var user: Int
    var at: Date
}

extension Visit: SQLiteRecord {
    static let tableName = "visits"

    func save(into row: inout SQLiteRow) throws {
        row["user_id"] = user
        row["at"] = at.timeIntervalSince1970
    }

    static func load(from row: SQLiteRow) throws -> Visit {
        Visit(
            user: try row["user_id"],
            at: Date(timeIntervalSince1970: try row["at"]))
    }
}

private struct V01: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: User.tableName) { table in
            table.column("id", .integer).notNull().primaryKey()
            table.column("name", .text).notNull()
            table.column("locale", .text)
        }
    }
}

private struct V02: SQLiteSchemaVersion {
    let id = "v02"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.alter(table: User.tableName) {
            $0.add(column: "address", .text)
        }
    }
}

private struct V10: SQLiteSchemaVersion {
    let id = "v10"
    let replaces = ["v01", "v02"]

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: User.tableName) { table in
            table.column("id", .integer).notNull().primaryKey()
            table.column("name", .text).notNull()
            table.column("locale", .text)
            table.column("address", .text)
        }
    }
}

private struct AfterGRDB: SQLiteSchemaVersion {
    let id = "v01"
    let replaces = ["createUsers", "addAddresses"]

    func upgrade(_ database: SQLiteDatabase) throws {
        try V10().upgrade(database)
    }
}

private func openDatabaseOfGRDB(at file: URL) throws -> SQLiteStorage {
    var options = SQLiteStorage.Options()
    options.adoptsGRDBMigrations = true
    return try SQLiteStorage(
        at: file, versions: [AfterGRDB()], options: options)
}

private func openStorage(at file: URL) throws -> SQLiteStorage {
    var options = SQLiteStorage.Options()
    options.label = "users"
    options.maximumReaderCount = 3
    return try SQLiteStorage(
        at: file, versions: [V01(), V02()], options: options)
}

private func openUsers(at file: URL) throws -> SQLiteStorage {
    try SQLiteStorage(at: file, versions: [V01()])
}

private func changeUsers(in storage: SQLiteStorage) async throws -> [User] {
    try await storage.write { database in
        try database.save(User(id: 7, name: "Ann"))
        try database.update(
            User.where(Column("id") == 8),
            set: [Column("name").set(to: "Bob")])
        try database.delete(
            User.where(Column("id").isNone(of: [7, 8, 9])))
    }
    return try await storage.read { database in
        try database.select(
            User.where(Column("id") > 5 && !Column("name").like("A%"))
                .ordered(by: Column("name").ascending).limit(10))
    }
}

private func loadUser(_ id: Int, from storage: SQLiteStorage) async -> User? {
    await storage.read {
        try $0.select(User.where(Column("id") == id))
    } catch: {
        print("The user could not be loaded: \($0)")
    }
}

@MainActor @Observable
private final class UserModel {
    private(set) var user: User?
    private(set) var problem: String?

    func load(_ id: Int, from storage: SQLiteStorage) async {
        user = await storage.read {
            try $0.select(User.where(Column("id") == id))
        } catch: {
            problem = "\($0)"
        }
    }
}

private func firstName(in storage: SQLiteStorage) throws -> String? {
    try storage.read {
        try $0.select(
            sql: """
                SELECT name FROM \(User.self)
                ORDER BY \(Column("id")) LIMIT 1
                """)
    }
}

private func previewStorage() throws -> SQLiteStorage {
    let storage = try SQLiteStorage.inMemory(versions: [V01(), V02()])
    try storage.write { try $0.save(User(id: 7, name: "Ann")) }
    return storage
}

private func clear(_ storage: SQLiteStorage) async throws {
    try await storage.write { _ = try $0.delete(User.all) }
    try await storage.compact()
}

private func names(
    of ids: [Int], notLike text: String, in storage: SQLiteStorage
) async throws -> [String] {
    try await storage.read { database in
        try database.select(
            sql: """
                SELECT \(Column("name")) FROM \(User.self)
                WHERE id IN \(ids) AND name <> \(text)
                """)
    }
}

private func greet(user id: Int, in storage: SQLiteStorage) async {
    for await user in storage.values({
        try $0.select(User.where(Column("id") == id))
    }) {
        print("Hello, \(user?.name ?? "stranger")")
    }
}

private func backUp(
    _ storage: SQLiteStorage, into folder: URL, on day: String
) async throws {
    try await storage.backup(
        to: folder.appendingPathComponent("Users \(day).sqlite")
    ) { progress in
        print("\(Int(progress.fractionCompleted * 100)) %")
    }
}

@Suite("Snippets of the articles about databases")
struct SQLiteSnippetTests {
    @Test("The vault's settings are rows that people can read")
    func vault() async throws {
        try await withTemporaryDirectory { path in
            let folder = URL(fileURLWithPath: path)
            let file = folder.appendingPathComponent("Vault.sqlite")
            try useVault(at: file)
            #expect(try openVault(at: file).get(.attempts) == 2)
            let rows: [String] = try await SQLiteStorage(at: file).read {
                try $0.select(sql: "SELECT name || '|' || value FROM settings ORDER BY name")
            }
            #expect(rows == ["attempts|2", "pin|\"1234\""])
        }
    }

    @Test("Parameters have a table of their own")
    func parameters() throws {
        try withTemporaryDirectory { path in
            let folder = URL(fileURLWithPath: path)
            let parameters = try openParameters(in: folder)
            parameters.isDetailed = true
            parameters.apiURL = URL(string: "https://example.org")
            #expect(try openParameters(in: folder).apiURL?.host == "example.org")
        }
    }

    @Test("Visits are mapped by hand, and a database of GRDB is taken over")
    func others() async throws {
        var row = SQLiteRow()
        try Visit(user: 7, at: Date(timeIntervalSince1970: 3)).save(into: &row)
        #expect(try Visit.load(from: row).at == Date(timeIntervalSince1970: 3) && row.columns == ["user_id", "at"])
        try await withTemporaryDirectory { path in
            let file = URL(fileURLWithPath: path).appendingPathComponent("GRDB.sqlite")
            try await SQLiteStorage(at: file).write { database in
                try database.execute(
                    script: """
                        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                        INSERT INTO grdb_migrations VALUES ('createUsers'), ('addAddresses');
                        """)
                try V10().upgrade(database)
            }
            #expect(try await openDatabaseOfGRDB(at: file).read { try $0.count(User.all) } == 0)
        }
    }

    @Test("Users are renamed, selected, and listened to")
    func users() async throws {
        try await withTemporaryDirectory { path in
            let folder = URL(fileURLWithPath: path)
            let storage = try openStorage(at: folder.appendingPathComponent("Users.sqlite"))
            try await storage.write {
                try $0.save([
                    User(id: 8, name: "Rob", address: Address(town: "Bergen")), User(id: 9, name: "Al"),
                    User(id: 10, name: "Eve"),
                ])
            }
            #expect(try await changeUsers(in: storage).map(\.name) == ["Bob"])
            #expect(try await renameUser(9, to: "Alan", in: storage)?.name == "Alan")
            #expect(await loadUser(8, from: storage)?.address == Address(town: "Bergen"))
            #expect(try await names(of: [7, 9, 10], notLike: "Ann", in: storage) == ["Alan"])
            try await backUp(storage, into: folder, on: "today")
            let copy = try SQLiteStorage(at: folder.appendingPathComponent("Users today.sqlite"), versions: [V10()])
            #expect(try await copy.read { try $0.count(User.all) } == 3)
            let greeting = Task { await greet(user: 7, in: storage) }
            greeting.cancel()
            await greeting.value
        }
    }

    @Test("A preview's users are in memory, read without await, and deleted with the room that they took")
    func preview() async throws {
        let storage = try previewStorage()
        #expect(try firstName(in: storage) == "Ann")
        try await clear(storage)
        #expect(try firstName(in: storage) == nil)
    }
}

import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// Uses as they stand in programs: that they compile is most of what is tested.
@Suite("Usage of storage")
struct UsageTests {
    private enum Columns {
        static let id = "id"
        static let name = "name"
    }

    private final class UserStorage: Sendable {
        private let storage: SQLiteStorage
        let errors = Mutex<[String]>([])

        init?(_ url: URL) {
            var options = SQLiteStorage.Options()
            options.access = .readWrite
            options.foreignKeysEnabled = true
            options.label = "UserStorageConnection"
            options.targetQueue = DispatchQueue(label: "UserStorageQueue")
            options.maximumReaderCount = 5
            options.patience = .seconds(2)
            let versions: [any SQLiteSchemaVersion] = [V01(), V02()]
            guard let storage = try? SQLiteStorage(at: url, versions: versions, options: options) else {
                return nil
            }
            self.storage = storage
        }

        private func log(error: String) { errors.withLock { $0.append(error) } }

        func load(user id: Int) async -> User? {
            await storage.read {
                try $0.select(User.where(Column(Columns.id) == id))
            } catch: {
                log(error: "[UsersStorage][load] \($0)")
            }
        }

        func loadAll() async -> [User]? {
            await storage.read {
                try $0.select(User.all.ordered(by: Column(Columns.name).ascending))
            } catch: {
                log(error: "[UsersStorage][loadAll] \($0)")
            }
        }

        func save(_ name: String, _ id: Int) async {
            await storage.write { database in
                let user = User(id: id, name: name)
                try database.save(user)
            } catch: {
                log(error: "[UserStorage][save] \($0)")
            }
        }

        func update(name user: User) async {
            await storage.write {
                try $0.update(
                    User.where(Column(Columns.id) == user.id),
                    set: [Column(Columns.name).set(to: user.name)]
                )
            } catch: {
                log(error: "[UserStorage][update] \($0)")
            }
        }

        func loadUser(_ id: Int) async -> User? {
            await storage.read {
                try $0.select(sql: "SELECT * FROM \(User.self) WHERE \(Column(Columns.id)) = \(id)")
            } catch: {
                log(error: "[UsersStorage][load] \($0)")
            }
        }

        func users(withID id: Int) -> SettingsService.Stream<User?> {
            storage.values {
                try $0.select(User.where(Column(Columns.id) == id))
            }
        }

        func delete(except ids: [Int]) async {
            await storage.write {
                try $0.delete(User.where(Column(Columns.id).isNone(of: ids)))
            } catch: {
                log(error: "[UserStorage][delete] \($0)")
            }
        }

        func add(_ users: [User]) async throws {
            try await storage.write { database in
                for user in users { try database.insert(user) }
            }
        }

        func firstNames(_ count: Int) async throws -> [String] {
            try await storage.read { try $0.select(sql: "SELECT name FROM users ORDER BY name LIMIT \(count)") }
        }

        func summary() async throws -> (Int, Bool, String?) {
            try await storage.read { database in
                let name: String? = try database.select(sql: "SELECT max(name) FROM users")
                return (try database.count(User.all), try database.exists(User.where(Column(Columns.id) > 7)), name)
            }
        }
    }

    @Test("A class around a storage has one short function for each thing that it does")
    func userStorage() async throws {
        try await withTemporaryFolder { folder in
            let users = try #require(UserStorage(folder.appendingPathComponent("UserStorage.sqlite")))
            #expect(await users.load(user: 7) == nil)
            var informed = users.users(withID: 7).makeAsyncIterator()
            #expect(await informed.next() == .some(nil))
            await users.save("Ann", 7)
            #expect(await informed.next() == User(id: 7, name: "Ann"))
            await users.update(name: User(id: 7, name: "Anna"))
            #expect(await informed.next() == User(id: 7, name: "Anna"))
            try await users.add([User(id: 8, name: "Bob", locale: "en", demo: true)])
            #expect(await users.loadUser(8) == User(id: 8, name: "Bob", locale: "en", demo: true))
            #expect(await users.loadAll()?.map(\.id) == [7, 8])
            #expect(try await users.firstNames(1) == ["Anna"])
            #expect(try await users.summary() == (2, true, "Bob"))
            await users.delete(except: [8])
            #expect(await informed.next() == .some(nil))
            #expect(users.errors.withLock { $0 } == [])
            #expect(UserStorage(folder) == nil)
        }
    }

    @Test("What is selected is decided by the type that it is stored in")
    func types() async throws {
        try await withTemporaryFolder { folder in
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [V01(), V02()])
            let id = 7
            let none: User? = nil
            try await storage.write { database in
                try database.save(none)
                try database.save([User(id: 7, name: "Ann"), User(id: 8, name: "Bob")])
                try database.save(User(id: 9, name: "Eve", locale: "fr"))
                try database.update(
                    User.where(Column("id") == 9), set: [Column("locale").set(to: nil), Column("demo").set(to: false)])
                let one: User? = try database.select(User.where(Column("id") == id))
                let all: [User] = try database.select(User.all)
                let oneBySQL: User? = try database.select(sql: "SELECT * FROM users WHERE id = \(id)")
                let allBySQL: [User] = try database.select(
                    sql: "SELECT * FROM \(identifier: User.tableName) ORDER BY id")
                let name: String? = try database.select(sql: "SELECT name FROM users WHERE id = \(id)")
                let names: [String] = try database.select(
                    sql: "SELECT name FROM users WHERE id IN \([7, 8]) ORDER BY id")
                let locales: [String?] = try database.select(sql: "SELECT locale FROM users")
                let optional: [User]? = try database.select(User.all)
                #expect(one == oneBySQL && all == allBySQL && name == "Ann" && names == ["Ann", "Bob"])
                #expect(locales == [nil, nil, nil] && optional == all)
                if let user = try database.select(User.where(Column("name").like("B%"))) { #expect(user.id == 8) }
                for user in try database.select(User.all) as [User] { #expect(user.id >= 7) }
            }
            let users: [User] = try await storage.read {
                try $0.select(User.where(Column("id") != 7 && Column("demo") == nil))
            }
            #expect(users.map(\.id) == [8])
            let list: SettingsService.Stream<[User]> = storage.values { try $0.select(User.all) }
            for await users in list {
                #expect(users.count == 3)
                break
            }
            for await count in storage.values({ try $0.count(User.all) }) {
                #expect(count == 3)
                break
            }
            for await user in storage.values({ try $0.select(User.where(Column("id") == 7)) }) {
                #expect(user?.name == "Ann")
                break
            }
        }
    }
}

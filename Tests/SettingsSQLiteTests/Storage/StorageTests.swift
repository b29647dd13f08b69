import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Records in a database")
struct StorageTests {
    @Test("Records are saved, selected, updated, counted and deleted")
    func records() async throws {
        try await withTemporaryFolder { folder in
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [V01(), V02()])
            let ann = User(id: 7, name: "Ann", locale: nil, demo: true)
            try await storage.write {
                try $0.save(ann)
                try $0.save(User(id: 8, name: "Bob", locale: "en", demo: nil))
            }
            let id = 7
            let user: User? = try await storage.read { try $0.select(User.where(Column("id") == 7)) }
            #expect(user == ann)
            try await storage.write {
                try $0.save(user)
                try $0.update(User.where(Column("id") == 7), set: [Column("name").set(to: "Anna")])
            }
            let names: [String] = try await storage.read {
                try $0.select(sql: "SELECT name FROM users WHERE id = \(id)")
            }
            #expect(names == ["Anna"])
            let all: [User] = try await storage.read { try $0.select(User.all.ordered(by: Column("id").descending)) }
            #expect(all.map(\.id) == [8, 7])
            #expect(try await storage.read { try $0.count(User.where(Column("locale") == nil)) } == 1)
            #expect(try await storage.write { try $0.delete(User.where(Column("id").isNone(of: [7]))) } == 1)
            #expect(try await storage.read { try !$0.exists(User.where(Column("id") == 8)) })
        }
    }

    @Test("Who listens hears what has changed")
    func listening() async throws {
        try await withTemporaryFolder { folder in
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [V01(), V02()])
            let other = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [V01(), V02()])
            var iterator = storage.values({ try $0.select(User.where(Column("id") == 7)) })
                .makeAsyncIterator()
            #expect(await iterator.next() == .some(nil))
            try await storage.write { try $0.save(User(id: 7, name: "Ann")) }
            #expect(await iterator.next()??.name == "Ann")
            try await other.write { try $0.save(User(id: 7, name: "Bob")) }
            #expect(await iterator.next()??.name == "Bob")
        }
    }
}

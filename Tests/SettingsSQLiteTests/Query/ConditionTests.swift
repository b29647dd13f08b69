import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

private struct Item: SQLiteRecord, Codable, Equatable, Sendable {
    static let tableName = "items"
    var id: Int
    var a: Int?
    var b: Int?
}

@Suite("Conditions")
struct ConditionTests {
    /// All combinations of three values and `NULL`.
    private static let items: [Item] = {
        let values: [Int?] = [nil, 1, 2, 3]
        return values.flatMap { a in values.map { (a, $0) } }.enumerated().map { Item(id: $0, a: $1.0, b: $1.1) }
    }()

    private func withItems(_ body: (SQLiteStorage) async throws -> Void) async throws {
        try await withStorage("CREATE TABLE items (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER)") { storage in
            try await storage.write { try $0.save(Self.items) }
            try await body(storage)
        }
    }

    private func ids(_ query: SQLiteQuery<Item>, _ storage: SQLiteStorage) async throws -> [Int] {
        let items: [Item] = try await storage.read { try $0.select(query) }
        return items.map(\.id)
    }

    @Test("Each operator means what the SQL means that one would write, alone, negated and combined")
    func operators() async throws {
        let (a, b) = (Column("a"), Column("b"))
        let (two, none): (Int?, Int?) = (2, nil)
        let simple: [(SQLiteCondition, String)] = [
            (a == 2, "a = 2"), (a != 2, "a <> 2"), (a < 2, "a < 2"), (a <= 2, "a <= 2"), (a > 2, "a > 2"),
            (a >= 2, "a >= 2"), (a == nil, "a IS NULL"), (a != nil, "a IS NOT NULL"), (a.isNull, "a IS NULL"),
            (a.isNotNull, "a IS NOT NULL"), (a == two, "a = 2"), (a != two, "a <> 2"), (a == none, "a IS NULL"),
            (a != none, "a IS NOT NULL"), (a == b, "a = b"), (a != b, "a <> b"), (a.isOne(of: [1, 3]), "a IN (1, 3)"),
            (a.isNone(of: [1, 3]), "a NOT IN (1, 3)"), (a.isOne(of: [Int]()), "0"), (a.isNone(of: [Int]()), "1"),
            (a.like("2%"), "a LIKE '2%'"), (SQLiteCondition(sql: "a = 1 OR b = 2"), "a = 1 OR b = 2"),
        ]
        try await withItems { storage in
            func expectSame(_ condition: SQLiteCondition, _ sql: String) async throws {
                let meant: [Int] = try await storage.read {
                    try $0.select(sql: "SELECT id FROM items WHERE \(raw: sql) ORDER BY id")
                }
                #expect(
                    try await ids(Item.where(condition).ordered(by: Column("id").ascending), storage) == meant, "\(sql)"
                )
                #expect(try await storage.read { try $0.count(Item.where(condition)) } == meant.count, "\(sql)")
                #expect(try await storage.read { try $0.exists(Item.where(condition)) } == !meant.isEmpty, "\(sql)")
                // In the middle of other SQL a condition stays one.
                let count = try await storage.number("SELECT count(*) FROM items WHERE NOT (\(raw: sql)) AND id >= 0")
                #expect(
                    try await storage.number("SELECT count(*) FROM items WHERE NOT \(condition) AND id >= 0") == count)
            }
            let (last, lastSQL) = simple[simple.count - 1]
            for (condition, sql) in simple {
                try await expectSame(condition, sql)
                try await expectSame(!condition, "NOT (\(sql))")
                try await expectSame(condition && last, "(\(sql)) AND (\(lastSQL))")
                try await expectSame(
                    !condition || last && !(last || condition),
                    "NOT (\(sql)) OR ((\(lastSQL)) AND NOT ((\(lastSQL)) OR (\(sql))))")
            }
            let found = try await ids(Item.where(a == 1 || a == 2).where(b == 1), storage)
            #expect(found == Self.items.filter { ($0.a == 1 || $0.a == 2) && $0.b == 1 }.map(\.id))
        }
    }

    @Test("Orders sort by one column after the other, `NULL` first; limits cut afterwards")
    func ordersAndLimits() async throws {
        try await withItems { storage in
            let (a, b, id) = (Column("a"), Column("b"), Column("id"))
            let sorted = Self.items.sorted {
                ($0.b ?? 0, -($0.a ?? 0), $0.id) < ($1.b ?? 0, -($1.a ?? 0), $1.id)
            }.map(\.id)
            let query = Item.all.ordered(by: b.ascending, a.descending, id.ascending)
            #expect(try await ids(query, storage) == sorted)
            #expect(try await ids(query.limit(3, offset: 2), storage) == Array(sorted[2..<5]))
            #expect(try await ids(query.limit(-1, offset: -1), storage) == [])
            let first: Item? = try await storage.read { try $0.select(query.limit(5, offset: 1)) }
            let none: Item? = try await storage.read { try $0.select(query.limit(0)) }
            #expect(first?.id == sorted[1] && none == nil)
            #expect(try await storage.read { try !$0.exists(query.limit(0)) })
            #expect(try await storage.read { try $0.count(query.limit(3, offset: 15)) } == 1)
        }
    }

    @Test(
        "A limit also says how many rows are changed and deleted",
        arguments: ["id INTEGER PRIMARY KEY", "id INTEGER, rowid TEXT DEFAULT 'same'"])
    func limitedWrites(columns: String) async throws {
        try await withStorage("CREATE TABLE items (\(columns), a INTEGER, b INTEGER)") { storage in
            try await storage.write { database in
                for item in Self.items { try database.insert(item) }
                let query = Item.where(Column("id") >= 3).ordered(by: Column("id").descending).limit(2, offset: 1)
                #expect(try database.update(query, set: [Column("a").set(to: 77), Column("b").set(to: nil)]) == 2)
                let ids: [Int] = try database.select(sql: "SELECT id FROM items WHERE a = 77 AND b IS NULL ORDER BY 1")
                #expect(ids == [13, 14])
                #expect(try database.delete(query) == 2)
                #expect(try database.count(Item.all) == Self.items.count - 2)
                #expect(try database.update(Item.all, set: []) == 0)
            }
        }
    }

    @Test("A misspelled name is an error, never a text")
    func misspelled() async throws {
        let wrong = Column("aa")
        let attempts: [@Sendable (SQLiteDatabase) throws -> Void] = [
            { _ = try $0.count(Item.where(wrong == "aa")) }, { _ = try $0.count(Item.where(Column("a") == wrong)) },
            { _ = try $0.delete(Item.where(wrong.isOne(of: [1]))) },
            { let _: [Item] = try $0.select(Item.all.ordered(by: wrong.ascending)) },
            { try $0.update(Item.all, set: [wrong.set(to: 1)]) },
            { try $0.create(index: "i", on: "items", columns: ["aa"]) },
        ]
        try await withItems { storage in
            for attempt in attempts {
                await expect(.statementFailed, saying: "aa") { try await storage.write(attempt) }
            }
        }
    }
}

import Foundation
import SettingsKit
import SettingsSQLite

extension Benchmark {
    /// Row 11: the SQLite store and record storage, compared with the same work through SQLite's C interface.
    static func sqlite() throws -> [Benchmark] {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(at: folder["store.sqlite"])
        let writer = Writer(SettingsService(defaults: store))
        let memory = Writer(SettingsService(defaults: MemoryStore())).settings
        let (settings, setting) = (writer.settings, SettingDefinition.launchCount)
        let plain = PlainDatabase(folder["plain.sqlite"])
        plain.makeSettings(count: 0)
        let upsert = plain.statement(PlainDatabase.upsert)
        let statement = Yardstick("the same statement through the C interface") { count in
            repeating(count) { upsert.run(setting.key.name, "\(writer.next())") }
        }
        return try [
            Benchmark(
                11, "get of an Int in SQLite", atMost: 1.1,
                Yardstick("get of an Int in memory") { summing($0) { memory.get(setting) } },
                iterations: 2_000_000
            ) { summing($0) { settings.get(setting) } },
            Benchmark(11, "set in an SQLite store", atMost: 1.2, statement, iterations: 10_000) { count in
                repeating(count) { try store.set(setting.key, to: Data("\(writer.next())".utf8)) }
            },
            Benchmark(11, "set of an Int in SQLite", atMost: 1.2, statement, iterations: 10_000, writer.set),
        ]
            + records(of: Person.self, "records mapped by hand") + records(of: CodablePerson.self, "Codable records")
    }

    private static func records<Record: PersonRecord>(of type: Record.Type, _ kind: String) throws -> [Benchmark] {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(at: folder["storage.sqlite"], versions: [People()])
        let plain = PlainDatabase(folder["plain.sqlite"])
        plain.execute("CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, locale TEXT)")
        let select = plain.statement("SELECT id, name, locale FROM people")
        let upsert = plain.statement(
            """
            INSERT INTO people (id, name, locale) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
            SET name = excluded.name, locale = excluded.locale
            """)
        let (begin, commit) = (plain.statement("BEGIN IMMEDIATE"), plain.statement("COMMIT"))
        func save(_ people: [Record]) {
            begin.run()
            for person in people {
                upsert.bind(person.id, at: 1)
                upsert.bind(person.name, at: 2)
                upsert.bind(person.locale, at: 3)
                upsert.run()
            }
            commit.run()
        }
        let people = (0..<10_000).map {
            Record(id: $0, name: "person number \($0)", locale: $0 % 2 == 0 ? "en" : nil)
        }
        _ = waiting(1) { _ in try await storage.write { try $0.save(people) } }
        save(people)
        @Sendable func hundred(_ round: Int) -> [Record] {
            (0..<100).map { Record(id: $0 * 50, name: "name in round \(round)", locale: "de") }
        }
        let looping = Yardstick("the C interface in a loop") { count in
            repeating(count) {
                var people: [Record] = []
                while select.step() {
                    people.append(Record(id: select.integer(0), name: select.text(1) ?? "", locale: select.text(2)))
                }
                select.reset()
                precondition(people.count == 10_000)
            }
        }
        let statements = Yardstick("the same statements in a transaction") { count in
            repeating(1) { for round in 0..<count { save(hundred(round)) } } / Double(count)
        }
        return [
            Benchmark(11, "select of 10,000 \(kind)", atMost: 2, looping, iterations: 10) { count in
                waiting(count) { _ in
                    let people: [Record] = try await storage.read { try $0.select(Record.all) }
                    precondition(people.count == 10_000)
                }
            },
            Benchmark(11, "save of 100 \(kind) in a write", atMost: 1.3, statements, iterations: 100) { count in
                waiting(count) { round in
                    let people = hundred(round)
                    try await storage.write { try $0.save(people) }
                }
            },
        ]
    }
}

private protocol PersonRecord: SQLiteRecord, Sendable {
    var id: Int { get }
    var name: String { get }
    var locale: String? { get }

    init(id: Int, name: String, locale: String?)
}

extension PersonRecord {
    static var tableName: String { "people" }
}

private struct CodablePerson: PersonRecord, Codable {
    let id: Int
    let name: String
    let locale: String?
}

/// Mapped by hand.
private struct Person: PersonRecord {
    let id: Int
    let name: String
    let locale: String?

    func save(into row: inout SQLiteRow) throws {
        row["id"] = id
        row["name"] = name
        row["locale"] = locale
    }

    static func load(from row: SQLiteRow) throws -> Person {
        Person(id: try row["id"], name: try row["name"], locale: row["locale"])
    }
}

private struct People: SQLiteSchemaVersion {
    let id = "people"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: Person.tableName) { table in
            table.column("id", .integer).notNull().primaryKey()
            table.column("name", .text).notNull()
            table.column("locale", .text)
        }
    }
}

/// The nanoseconds of each of `count` rounds of an asynchronous function, one after the other.
private func waiting(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) -> Double {
    repeating(1) {
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                for round in 0..<count { try await body(round) }
            } catch {
                fatalError("\(error)")
            }
            isDone.signal()
        }
        isDone.wait()
    } / Double(count)
}

import Foundation
import SettingsKit
import SettingsSQLite

extension Benchmark {
    /// Row 11: the SQLite store and record storage, compared with the same work through SQLite's C interface.
    static func sqlite() throws -> [Benchmark] {
        let folder = try TemporaryFolder()
        let writer = Writer(SettingsService(defaults: try SQLiteStore(at: folder["store.sqlite"])))
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
                11, "get of an Int in SQLite", .atMost(1.1),
                Yardstick("get of an Int in memory") { summing($0) { memory.get(setting) } },
                iterations: 2_000_000
            ) { summing($0) { settings.get(setting) } },
            Benchmark(11, "set of an Int in SQLite", .atMost(1.5), statement, iterations: 10_000, writer.set),
        ]
            + records("records mapped by hand", select: 2.1) { Person(id: $0, name: $1, locale: $2) }
            + records("Codable records", select: 4.8) { CodablePerson(id: $0, name: $1, locale: $2) }
    }

    private static func records<Record: SQLiteRecord & Sendable>(
        _ kind: String, select target: Double, _ make: @escaping @Sendable (Int, String, String?) -> Record
    ) throws -> [Benchmark] {
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
        /// Ten thousand people, or the hundred whose names change in a round.
        @Sendable func people(_ round: Int? = nil) -> [(id: Int, name: String, locale: String?)] {
            guard let round else {
                return (0..<10_000).map { ($0, "person number \($0)", $0.isMultiple(of: 2) ? "en" : nil) }
            }
            return (0..<100).map { ($0 * 50, "name in round \(round)", "de") }
        }
        func save(_ round: Int? = nil) {
            begin.run()
            for person in people(round) {
                upsert.bind(person.id, at: 1)
                upsert.bind(person.name, at: 2)
                upsert.bind(person.locale, at: 3)
                upsert.run()
            }
            commit.run()
        }
        save()
        _ = waiting(1) { _ in
            let people = people().map(make)
            try await storage.write { try $0.save(people) }
        }
        let looping = Yardstick("the C interface in a loop") { count in
            repeating(count) {
                var people: [Record] = []
                while select.step() { people.append(make(select.integer(0), select.text(1) ?? "", select.text(2))) }
                select.reset()
                precondition(people.count == 10_000)
            }
        }
        let statements = Yardstick("the same statements in a transaction") { count in
            repeating(1) { for round in 0..<count { save(round) } } / Double(count)
        }
        return [
            Benchmark(11, "select of 10,000 \(kind)", .atMost(target), looping, iterations: 10) { count in
                waiting(count) { _ in
                    let people: [Record] = try await storage.read { try $0.select(Record.all) }
                    precondition(people.count == 10_000)
                }
            },
            Benchmark(11, "save of 100 \(kind) in a write", .atMost(1.8), statements, iterations: 100) { count in
                waiting(count) { round in
                    let people = people(round).map(make)
                    try await storage.write { try $0.save(people) }
                }
            },
        ]
    }
}

private struct CodablePerson: SQLiteRecord, Codable {
    static let tableName = "people"

    let id: Int
    let name: String
    let locale: String?
}

/// Mapped by hand.
private struct Person: SQLiteRecord {
    static let tableName = "people"

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

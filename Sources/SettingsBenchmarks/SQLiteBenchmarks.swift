import CSettingsKitSQLite
import Foundation
import SettingsKit
import SettingsSQLite

extension Benchmark {
    /// Row 11: the SQLite store and record storage, compared with the same work through SQLite's C interface.
    static func sqlite() throws -> [Benchmark] {
        let writing = try DatabaseWriting()
        let memory = SettingsService(defaults: MemoryStore())
        let setting = DatabaseWriting.setting
        memory.set(setting, to: 1)
        return try [
            Benchmark(
                row: 11, name: "get of an Int in SQLite", yardstickName: "get of an Int in memory",
                target: .costAtMost(1.1), iterations: 2_000_000,
                operation: { [settings = writing.settings] in measureReading(of: setting, in: settings, $0) },
                yardstick: { measureReading(of: setting, in: memory, $0) }),
            Benchmark(
                row: 11, name: "set in an SQLite store", yardstickName: "the same statement through the C interface",
                target: .costAtMost(1.3), iterations: 10_000, operation: writing.measureStore,
                yardstick: writing.measureStatement),
            Benchmark(
                row: 11, name: "set of an Int in SQLite", yardstickName: "the same statement through the C interface",
                target: .costAtMost(1.3), iterations: 10_000, operation: writing.measureService,
                yardstick: writing.measureStatement),
        ]
            + records(DatabaseRecords<Person>(count: 10_000), "records mapped by hand")
            + records(DatabaseRecords<CodablePerson>(count: 10_000), "Codable records")
    }

    private static func records(_ records: DatabaseRecords<some PersonRecord>, _ kind: String) -> [Benchmark] {
        [
            Benchmark(
                row: 11, name: "select of 10,000 \(kind)", yardstickName: "the C interface in a loop",
                target: .costAtMost(2), iterations: 10, operation: records.measureSelecting,
                yardstick: records.measureLoop),
            Benchmark(
                row: 11, name: "save of 100 \(kind) in a write", yardstickName: "the same statements in a transaction",
                target: .costAtMost(1.3), iterations: 100, operation: records.measureSaving,
                yardstick: records.measureStatements),
        ]
    }
}

private func measureReading(of setting: Setting<Int>, in settings: SettingsService, _ count: Int) -> Double {
    nanosecondsEach(count) {
        var sum = 0
        for _ in 0..<count { sum &+= settings.get(setting) }
        use(sum)
    }
}

/// A setting that is set repeatedly: through the service, through the store, and through SQLite alone.
private final class DatabaseWriting {
    static let setting = Setting<Int>("set", in: .defaults, default: 0)

    let settings: SettingsService
    private let store: SQLiteStore
    private let plain: PlainDatabase
    private let upsert: PlainStatement
    private let folder: TemporaryFolder
    /// Each value differs from the one before, because equal ones are not written.
    private var number = 0

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(at: folder.url.appendingPathComponent("store.sqlite"))
        settings = SettingsService(defaults: store)
        settings.set(Self.setting, to: 1)
        plain = PlainDatabase(folder.url.appendingPathComponent("plain.sqlite"))
        plain.makeSettings(count: 0)
        upsert = plain.statement(PlainDatabase.upsert)
    }

    func measureService(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(Self.setting, to: number)
            }
        }
    }

    func measureStore(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                orStop { try store.set(Self.setting.key, to: Data("\(number)".utf8)) }
            }
        }
    }

    func measureStatement(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                upsert.bind("set", at: 1)
                upsert.bind("\(number)", at: 2)
                upsert.run()
            }
        }
    }
}

/// Many records, selected and saved through the storage and through SQLite alone.
private final class DatabaseRecords<Record: PersonRecord> {
    private let storage: SQLiteStorage
    private let plain: PlainDatabase
    private let folder: TemporaryFolder
    private let count: Int

    init(count: Int) throws {
        self.count = count
        folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("storage.sqlite")
        storage = try SQLiteStorage(at: url, versions: [People()])
        plain = PlainDatabase(folder.url.appendingPathComponent("plain.sqlite"))
        plain.execute("CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, locale TEXT)")
        let people = (0..<count).map { Record(id: $0, name: "person number \($0)", locale: $0 % 2 == 0 ? "en" : nil) }
        let storage = storage
        wait { try await storage.write { try $0.save(people) } }
        plain.execute("BEGIN")
        save(people)
        plain.execute("COMMIT")
    }

    func measureSelecting(_ count: Int) -> Double {
        let (storage, expected) = (storage, self.count)
        return nanosecondsEach(count) {
            wait {
                for _ in 0..<count {
                    let people: [Record] = try await storage.read { try $0.select(Record.all) }
                    precondition(people.count == expected)
                }
            }
        }
    }

    func measureLoop(_ count: Int) -> Double {
        let select = plain.statement("SELECT id, name, locale FROM people")
        return nanosecondsEach(count) {
            for _ in 0..<count {
                var people: [Record] = []
                while select.step() {
                    people.append(Record(id: select.integer(0), name: select.text(1) ?? "", locale: select.text(2)))
                }
                select.reset()
                precondition(people.count == self.count)
            }
        }
    }

    private static func hundred(_ round: Int) -> [Record] {
        (0..<100).map { Record(id: $0 * 50, name: "name in round \(round)", locale: "de") }
    }

    func measureSaving(_ count: Int) -> Double {
        let storage = storage
        return nanosecondsEach(count) {
            wait {
                for round in 0..<count {
                    let people = Self.hundred(round)
                    try await storage.write { try $0.save(people) }
                }
            }
        }
    }

    func measureStatements(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for round in 0..<count {
                let people = Self.hundred(round)
                plain.execute("BEGIN IMMEDIATE")
                save(people)
                plain.execute("COMMIT")
            }
        }
    }

    private lazy var upsert = plain.statement(
        """
        INSERT INTO people (id, name, locale) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
        SET name = excluded.name, locale = excluded.locale
        """)

    private func save(_ people: [Record]) {
        for person in people {
            upsert.bind(person.id, at: 1)
            upsert.bind(person.name, at: 2)
            upsert.bind(person.locale, at: 3)
            upsert.run()
        }
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

/// Runs an asynchronous function to its end.
private func wait(_ body: @escaping @Sendable () async throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await body()
        } catch {
            fatalError("\(error)")
        }
        isDone.signal()
    }
    isDone.wait()
}

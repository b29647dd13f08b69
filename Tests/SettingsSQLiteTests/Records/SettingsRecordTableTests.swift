import Foundation
import SettingsKit
import SettingsSQLite
import Testing

private struct Parameters: Equatable {
    var isDetailed: Bool
    var apiUrl: URL?
    var armedAt: Date?
    var retries = 3
}

private enum Columns {
    static let isDetailed = "isDetailed"
    static let apiUrl = "apiUrl"
    static let armedAt = "armedAt"
    static let retries = "retries"
}

extension Parameters: SQLiteSettingsRecord {
    static let tableName = "settings"

    static let empty = Parameters(isDetailed: false, apiUrl: nil, armedAt: nil)

    func save(into row: inout SQLiteRow) throws {
        row[Columns.isDetailed] = isDetailed
        row[Columns.apiUrl] = apiUrl?.absoluteString
        row[Columns.armedAt] = armedAt?.timeIntervalSince1970
        row[Columns.retries] = retries
    }

    static func load(from row: SQLiteRow) throws -> Parameters {
        let isDetailed: Bool? = row[Columns.isDetailed]
        let apiUrl: String? = row[Columns.apiUrl]
        let armedAt: TimeInterval? = row[Columns.armedAt]
        return Parameters(
            isDetailed: isDetailed ?? Parameters.empty.isDetailed,
            apiUrl: apiUrl.flatMap { URL(string: $0) } ?? Parameters.empty.apiUrl,
            armedAt: armedAt.map { Date(timeIntervalSince1970: $0) } ?? Parameters.empty.armedAt,
            retries: try row[Columns.retries])
    }
}

private struct First: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: Parameters.tableName) { table in
            let nilBoolean: Bool? = nil
            table.column(Columns.isDetailed, .boolean).defaults(to: nilBoolean)
            table.column(Columns.apiUrl, .text)
            table.column(Columns.armedAt, .timeInterval)
            table.column(Columns.retries, .integer).notNull()
        }
    }
}

private struct Second: SQLiteSchemaVersion {
    let id = "v02"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.alter(table: Parameters.tableName) { $0.add(column: "note", .text) }
    }
}

private struct OtherCase: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.execute(sql: "CREATE TABLE SETTINGS (ISDETAILED, apiurl, armedAT, Retries)")
    }
}

private struct OnlyView: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.execute(script: "CREATE TABLE a (x); CREATE VIEW settings AS SELECT x FROM a GROUP BY x")
    }
}

private struct Places: Equatable {
    var names: [String]
    var count: Int
}

extension Places: SQLiteSettingsRecord {
    static let tableName = "places"
    static let empty = Places(names: [], count: 0)

    func save(into row: inout SQLiteRow) throws {
        row["names"] = names
        row["count"] = count
    }

    static func load(from row: SQLiteRow) throws -> Places {
        Places(names: try row["names"], count: try row["count"])
    }
}

private struct PlacesV01: SQLiteSchemaVersion {
    let id = "v01"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.create(table: "places") { table in
            table.column("names", .text)
            table.column("count", .integer)
        }
    }
}

private struct Failing: SQLiteSchemaVersion {
    struct Reason: Error {}
    let id = "v03"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.execute(sql: "DELETE FROM settings")
        throw Reason()
    }
}

@Suite("A record in a table of its own")
struct SettingsRecordTableTests {
    private func open(
        _ folder: URL, versions: [any SQLiteSchemaVersion] = [First()]
    ) throws -> SettingsStorage<Parameters> {
        try SettingsStorage<Parameters>(name: "Settings", at: folder, versions: versions)
    }

    private func rows(in folder: URL) async throws -> [String] {
        let storage = try SQLiteStorage(at: folder.appendingPathComponent("Settings.sqlite"))
        return try await storage.read {
            try $0.select(
                sql: """
                    SELECT json_array(isDetailed, apiUrl, armedAt, retries) FROM settings ORDER BY rowid
                    """)
        }
    }

    @Test("Parameters are columns of one row, which is made when the first of them is set")
    func columns() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            #expect(settings.get() == .empty)
            #expect(try await rows(in: folder) == [])
            settings.isDetailed = true
            settings.armedAt = Date(timeIntervalSince1970: 1_234_567.5)
            #expect(try await rows(in: folder) == ["[1,null,1234567.5,3]"])
            settings.set(
                Parameters(isDetailed: true, apiUrl: URL(string: "https://e.org/'x"), armedAt: nil, retries: 4))
            #expect(try await rows(in: folder) == ["[1,\"https://e.org/'x\",null,4]"])
            #expect(settings.apiUrl?.absoluteString == "https://e.org/'x")
            settings.reset()
            #expect(settings.get() == .empty)
            #expect(try await rows(in: folder) == [])
        }
    }

    @Test("Another storage of a table and the next program find the values that one has written")
    func shared() async throws {
        try await withTemporaryFolder { folder in
            do {
                let (one, other) = (try open(folder), try open(folder))
                one.retries = 7
                #expect(other.retries == 7)
                other.update(\.retries) { $0 += 1 }
                #expect(one.retries == 8)
            }
            #expect(try open(folder).retries == 8)
        }
    }

    @Test("A change made with SQL is delivered, and a listener ends on the stored value")
    func outside() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            settings.retries = 1
            var iterator = settings.values.makeAsyncIterator()
            #expect(await iterator.next()?.retries == 1)
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("Settings.sqlite"))
            try await storage.write { try $0.execute(sql: "UPDATE settings SET retries = 9, apiUrl = 'https://e.org'") }
            let record = await iterator.next()
            #expect(
                record == Parameters(isDetailed: false, apiUrl: URL(string: "https://e.org"), armedAt: nil, retries: 9))
            #expect(settings.get() == record)
        }
    }

    @Test(
        "A column that holds something else reads as that of the empty record, is diagnosed, and stays until it is set"
    )
    func somethingElse() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            settings.apiUrl = URL(string: "https://e.org")
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("Settings.sqlite"))
            try await storage.write {
                try $0.execute(sql: "UPDATE settings SET retries = 'many', isDetailed = 'perhaps'")
            }
            let again = try open(folder)
            while again.retries != 3 { await Task.yield() }
            #expect(again.get() == Parameters(isDetailed: false, apiUrl: URL(string: "https://e.org"), armedAt: nil))
            #expect(try await rows(in: folder) == ["[\"perhaps\",\"https://e.org\",null,\"many\"]"])
            again.retries = 5
            #expect(try await rows(in: folder) == ["[\"perhaps\",\"https://e.org\",null,5]"])
        }
    }

    @Test("A record's versions are applied once; a failed one changes nothing and is named")
    func versions() async throws {
        try await withTemporaryFolder { folder in
            try open(folder).retries = 6
            let settings = try open(folder, versions: [First(), Second()])
            #expect(settings.retries == 6)
            let error = #expect(throws: SettingsError.self) {
                try open(folder, versions: [First(), Second(), Failing()])
            }
            #expect(error?.code == .schemaUpgradeFailed)
            #expect(error?.description.contains("v03") == true)
            #expect(try await rows(in: folder) == ["[0,null,null,6]"])
            let old = #expect(throws: SettingsError.self) { try open(folder, versions: [First()]) }
            #expect(old?.code == .newerVersion)
        }
    }

    @Test("To a table, the case of its columns does not matter; other rows of it stay; a view is refused")
    func othersTable() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder, versions: [OtherCase()])
            settings.isDetailed = true
            #expect(settings.isDetailed)
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("Settings.sqlite"))
            try await storage.write { try $0.execute(sql: "INSERT INTO settings (retries) VALUES (77)") }
            settings.reset()
            let others: [Int] = try await storage.read { try $0.select(sql: "SELECT retries FROM settings") }
            #expect(others == [77])
            let error = #expect(throws: SettingsError.self) {
                try SettingsStorage<Parameters>(name: "View", at: folder, versions: [OnlyView()])
            }
            #expect(error?.code == .unexpectedTable)
        }
    }

    @Test("Opened again after its file was replaced, a record is that of the new file")
    func replaced() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            settings.retries = 9
            for name in ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(at: folder.appendingPathComponent("Settings.sqlite\(name)"))
            }
            settings.retries = 10
            #expect(settings.retries == 9)
            let again = try open(folder)
            #expect(again.retries == 3)
            again.retries = 11
            #expect(try await rows(in: folder) == ["[0,null,null,11]"])
        }
    }

    @Test("JSON that cannot be decoded reads as that of the empty record, and other parameters can be set")
    func malformed() async throws {
        try await withTemporaryFolder { folder in
            let places = try SettingsStorage<Places>(name: "Places", at: folder, versions: [PlacesV01()])
            places.names = ["Oslo"]
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("Places.sqlite"))
            try await storage.write { try $0.execute(sql: "UPDATE places SET names = '{'") }
            while places.names != [] { await Task.yield() }
            places.count = 5
            #expect(places.get() == Places(names: [], count: 5))
        }
    }

    @Test("Several records can have tables in one database, each with versions of its own")
    func oneDatabase() async throws {
        try await withTemporaryFolder { folder in
            for _ in 0..<2 {
                let settings = try SettingsStorage<Parameters>(name: "App", at: folder, versions: [First()])
                let places = try SettingsStorage<Places>(name: "App", at: folder, versions: [PlacesV01()])
                settings.retries += 1
                places.count += 1
            }
            #expect(try SettingsStorage<Places>(name: "App", at: folder, versions: [PlacesV01()]).count == 2)
        }
    }

    @Test("Without a version that makes the table, there is an error that says so")
    func noTable() async throws {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: SettingsError.self) { try open(folder, versions: []) }
            #expect(error?.code == .unexpectedTable)
        }
    }
}

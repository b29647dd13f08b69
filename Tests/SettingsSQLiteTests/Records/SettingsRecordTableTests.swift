import Foundation
import SettingsKit
import SettingsSQLite
import Testing

private struct Parameters: SQLiteSettingsRecord, Equatable {
    static let tableName = "parameters"
    static let empty = Parameters()

    var isDetailed = false
    var apiURL: URL?
    var retries = 3
    var ratio = 0.5
    var role = MemberRole.guest
    var hosts = ["a"]
}

private let parametersV01 = ScriptVersion(
    "v01",
    "CREATE TABLE parameters (isDetailed BOOLEAN, apiURL TEXT, retries INTEGER NOT NULL, ratio REAL, role TEXT, hosts TEXT)"
)

/// A record that maps its columns by hand, to a table of the same database.
private struct Window: SQLiteSettingsRecord, Equatable {
    static let tableName = "windows"
    static let empty = Window(openedAt: nil, bytes: Data())

    var openedAt: Date?
    var bytes: Data

    func save(into row: inout SQLiteRow) throws {
        row["opened_at"] = openedAt?.timeIntervalSince1970
        row["bytes"] = bytes
    }

    static func load(from row: SQLiteRow) throws -> Window {
        let seconds: TimeInterval? = row["opened_at"]
        return Window(openedAt: seconds.map { Date(timeIntervalSince1970: $0) }, bytes: try row["bytes"])
    }
}

private let windowsV01 = ScriptVersion("v01", "CREATE TABLE windows (opened_at REAL, bytes BLOB)")

@Suite("A record in a table of its own", .timeLimit(Rounds.timeLimit))
struct SettingsRecordTableTests {
    private func open(
        _ folder: URL, versions: [any SQLiteSchemaVersion] = [parametersV01]
    ) throws -> SettingsStorage<Parameters> {
        try SettingsStorage<Parameters>(name: "Settings", at: folder, versions: versions)
    }

    private func rows(in folder: URL) throws -> [[String?]] {
        try OtherProgram(folder.appendingPathComponent("Settings.sqlite").path).run("SELECT * FROM parameters")
    }

    @Test("Parameters are columns of one row, which is made when the first of them is set")
    func columns() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            #expect(try settings.get() == .empty && rows(in: folder) == [])
            settings.isDetailed = true
            settings.apiURL = URL(string: "https://e.org/'x")
            #expect(try rows(in: folder) == [["1", "https://e.org/'x", "3", "0.5", "guest", #"["a"]"#]])
            settings.set(Parameters(retries: 4, ratio: .infinity, role: .owner, hosts: []))
            #expect(try rows(in: folder) == [["0", nil, "4", "Inf", "owner", "[]"]])
            // Another storage has the same values, and the next program finds them.
            let other = try open(folder)
            other.update(\.retries) { $0 += 1 }
            #expect(settings.retries == 5 && settings.ratio == .infinity)
            settings.reset()
            #expect(try settings.get() == .empty && rows(in: folder) == [])
        }
    }

    @Test("Several records have tables in one database, mapped by hand or by Codable, each with versions of its own")
    func oneDatabase() async throws {
        try await withTemporaryFolder { folder in
            for round in 0..<2 {
                let settings = try open(folder)
                let window = try SettingsStorage<Window>(name: "Settings", at: folder, versions: [windowsV01])
                #expect(settings.retries == 3 + round && window.bytes == Data(repeating: 255, count: round))
                settings.retries += 1
                window.set(Window(openedAt: Date(timeIntervalSince1970: 1.5), bytes: Data([255])))
            }
            let database = try OtherProgram(folder.appendingPathComponent("Settings.sqlite").path)
            #expect(try database.run("SELECT opened_at, typeof(bytes) FROM windows") == [["1.5", "blob"]])
        }
    }

    @Test(
        "A change made with SQL is delivered, and a column that holds something else reads as that of the empty record")
    func outside() async throws {
        try await withTemporaryFolder { folder in
            let settings = try open(folder)
            settings.retries = 1
            var records = settings.values.makeAsyncIterator()
            #expect(await records.next()?.retries == 1)
            let database = try OtherProgram(folder.appendingPathComponent("Settings.sqlite").path)
            try database.run("UPDATE parameters SET retries = 9, apiURL = 'https://e.org'")
            #expect(await records.next() == Parameters(apiURL: URL(string: "https://e.org"), retries: 9))
            try database.run(
                "UPDATE parameters SET retries = 'many', hosts = '{', role = NULL, isDetailed = 2, ratio = 0")
            let again = try open(folder)
            #expect(try await eventually { again.ratio == 0 })
            #expect(again.get() == Parameters(apiURL: URL(string: "https://e.org"), ratio: 0))
            again.retries = 5
            #expect(try rows(in: folder) == [["2", "https://e.org", "5", "0.0", nil, "{"]])
        }
    }

    @Test("The case of columns does not matter to a table; other rows of it stay; without a table it is refused")
    func otherTables() async throws {
        try await withTemporaryFolder { folder in
            let otherCase = ScriptVersion(
                "v01", "CREATE TABLE PARAMETERS (ISDETAILED, apiurl, Retries, RATIO, role, hosts, more)")
            let settings = try open(folder, versions: [otherCase])
            settings.isDetailed = true
            #expect(settings.isDetailed)
            let database = try OtherProgram(folder.appendingPathComponent("Settings.sqlite").path)
            try database.run("INSERT INTO parameters (retries) VALUES (77)")
            settings.retries = 4
            settings.reset()
            #expect(try database.run("SELECT retries FROM parameters") == [["77"]])
            expectError(.unexpectedTable) {
                _ = try SettingsStorage<Parameters>(name: "None", at: folder, versions: [])
            }
        }
    }
}

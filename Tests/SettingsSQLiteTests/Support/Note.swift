import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// A row with a number and a text: what most tests write.
struct Note: SQLiteRecord, Equatable, Sendable {
    static let tableName = "notes"

    var id: Int?
    var text: String

    init(_ id: Int?, _ text: String) {
        self.id = id
        self.text = text
    }

    func save(into row: inout SQLiteRow) throws {
        row["id"] = id
        row["text"] = text
    }

    static func load(from row: SQLiteRow) throws -> Note { Note(row["id"], try row["text"]) }
}

/// A version of a schema that runs a script.
struct ScriptVersion: SQLiteSchemaVersion {
    let id: String
    let script: String

    init(_ id: String, _ script: String) {
        self.id = id
        self.script = script
    }

    func upgrade(_ database: SQLiteDatabase) throws { try database.execute(script: script) }
}

/// `notes`, and nothing in it.
let notesSchema = ScriptVersion("notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")

/// Runs `body` with a storage in a directory of its own.
func withStorage<R>(
    _ script: String = notesSchema.script, options: SQLiteStorage.Options = .init(),
    _ body: (SQLiteStorage) async throws -> R
) async throws -> R {
    try await withTemporaryFolder { folder in
        let storage = try SQLiteStorage(
            at: folder.appendingPathComponent("a.sqlite"), versions: [ScriptVersion("1", script)],
            options: options)
        return try await body(storage)
    }
}

extension SQLiteStorage {
    /// The texts that a statement gives, `NULL` as "NULL".
    func texts(_ sql: SQLiteStatement) async throws -> [String] {
        let texts: [String?] = try await read { try $0.select(sql: sql) }
        return texts.map { $0 ?? "NULL" }
    }

    func number(_ sql: SQLiteStatement) async throws -> Int? { try await read { try $0.select(sql: sql) } }

    /// Everything in the database, as text: to see that something has changed nothing.
    func dump() async throws -> [String] {
        try await read { database in
            var lines: [String] = try database.select(
                sql: "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")
            let tables: [String] = try database.select(sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            for table in tables.sorted() {
                try database.forEachRow(sql: "SELECT * FROM \(identifier: table) ORDER BY 1") { row in
                    let values = try row.columns.map { column -> SQLiteValue in try row[column] }
                    lines.append("\(table): \(values)")
                }
            }
            return lines
        }
    }
}

extension SQLiteStorage.Options {
    /// The default options, except for what `change` changes.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var options = Self()
        change(&options)
        return options
    }
}

/// Something that one task waits for, and another makes happen.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.yield() }

    func wait() async { for await _ in stream { return } }
}

/// Something that the closure of an access waits for, which blocks its thread.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        let isOpen = semaphore.wait(timeout: .now() + 60) == .success
        #expect(isOpen, "the gate was not opened", sourceLocation: sourceLocation)
    }
}

/// Asserts that something fails with a `SettingsError` of a code, which names the place and nothing secret.
@discardableResult
func expect<R>(
    _ code: SettingsError.Code, saying part: String = "", not secret: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async -> SettingsError? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as SettingsError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(part.isEmpty || "\(error)".contains(part), "\(error)", sourceLocation: sourceLocation)
        if let secret {
            var dumped = ""
            Swift.dump(error, to: &dumped)
            for text in ["\(error)", "\(error as any Error)", error.localizedDescription, dumped] {
                #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
            }
        }
        return error
    } catch {
        Issue.record("\(error) is no SettingsError", sourceLocation: sourceLocation)
    }
    return nil
}

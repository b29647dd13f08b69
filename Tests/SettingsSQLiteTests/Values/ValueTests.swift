import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// One value of a type, in a column that takes it as it is.
private struct Cell<Value: SQLiteConvertible & Sendable>: SQLiteRecord, Sendable {
    static var tableName: String { "cells" }

    var value: Value?

    init(_ value: Value?) { self.value = value }

    func save(into row: inout SQLiteRow) throws { row["value"] = value }

    static func load(from row: SQLiteRow) throws -> Self { Self(row["value"]) }
}

private enum Role: String, SQLiteConvertible, Codable { case guest, owner }
private enum Level: Int8, SQLiteConvertible { case low = -128, high = 127 }

@Suite("Values in columns")
struct ValueTests {
    private static let cells = "CREATE TABLE cells (value)"

    /// Expects that values come back, through a record, an update and an interpolation, and are found.
    private func expectSame<Value: SQLiteConvertible & Sendable & Equatable>(
        _ values: [Value?], in storage: SQLiteStorage
    ) async throws {
        for value in values {
            try await storage.write { database in
                try database.delete(Cell<Value>.all)
                try database.insert(Cell(value))
                let saved: Cell<Value>? = try database.select(Cell<Value>.all)
                try database.update(Cell<Value>.all, set: [Column("value").set(to: value)])
                let updated: Value? = try database.select(sql: "SELECT value FROM cells")
                let bound: Value? = try database.select(sql: "SELECT \(value)")
                #expect(saved?.value == value && updated == value && bound == value)
                if let value { #expect(try database.count(Cell<Value>.where(Column("value") == value)) == 1) }
            }
        }
    }

    @Test("Values of every type come back as they went in, at their limits too")
    func everyType() async throws {
        try await withStorage(Self.cells) { storage in
            try await expectSame([Int64.min, .max, 0, nil], in: storage)
            try await expectSame([UInt64(Int64.max), 0], in: storage)
            try await expectSame([true, false, nil], in: storage)
            try await expectSame([-0.5, .greatestFiniteMagnitude, .infinity, Double(1 << 60), nil], in: storage)
            try await expectSame([Float.pi, .leastNonzeroMagnitude, .infinity, 0.1], in: storage)
            try await expectSame(["", "a\0b", "é", "e\u{301}", "7", "NULL", nil], in: storage)
            try await expectSame([Data(), Data([0xFF, 0xFE, 0]), Data([1, 2, 3, 4]).dropFirst(2), nil], in: storage)
            try await expectSame([UUID(), nil], in: storage)
            try await expectSame([.distantPast, Date(timeIntervalSinceReferenceDate: 0.1), nil], in: storage)
            try await expectSame([URL(string: "https://example.org/a%20b?c=d#e"), nil], in: storage)
            try await expectSame([Role.owner, nil], in: storage)
            try await expectSame([Level.low, .high], in: storage)
            try await expectSame([SQLiteValue.text("x"), .blob(Data()), .integer(.min), .real(.infinity)], in: storage)
        }
    }

    @Test("A value without a stored form is refused, changes nothing, and is not quoted")
    func unsupportedValue() async throws {
        let attempts: [@Sendable (SQLiteDatabase) throws -> Void] = [
            { try $0.insert(Cell(UInt64(Int64.max) + 2)) }, { try $0.insert(Cell(Float.nan)) },
            { try $0.update(Cell<Double>.all, set: [Column("value").set(to: ["9223372036854775809": Double.nan])]) },
            { _ = try $0.count(Cell<Double>.where(Column("value").isOne(of: [1, .nan]))) },
            { try $0.execute(sql: "INSERT INTO cells (value) VALUES (\(UInt64(Int64.max) + 2))") },
            { database in try database.create(table: "t") { $0.column("a", .double).defaults(to: Double.nan) } },
            { database in try database.create(table: "t") { $0.column("a", .text).defaults(to: "a\0b") } },
            { database in try database.alter(table: "cells") { $0.add(column: "a", .double).defaults(to: Float.nan) } },
        ]
        try await withStorage(Self.cells) { storage in
            let before = try await storage.dump()
            for attempt in attempts {
                await expect(.encodingFailed, not: "9223372036854775809") { try await storage.write(attempt) }
            }
            #expect(try await storage.dump() == before)
        }
    }

    @Test(
        "A column without a value of the expected type is reported by name, not by value; only NULL is nil",
        arguments: [
            ("SELECT 'secret' AS id", "text where Int is expected"),
            ("SELECT NULL AS id", "NULL where Int is expected"),
            ("SELECT 1.5 AS id", "floating-point number where Int"), ("SELECT x'00' AS id", "bytes where Int"),
            ("SELECT 1 AS other", "no column of this name"),
        ])
    func mismatches(sql: String, message: String) async throws {
        try await withStorage(Self.cells) { storage in
            let error = await expect(.unexpectedRow, saying: message, not: "secret") {
                try await storage.read { try $0.forEachRow(sql: SQLiteStatement(sql)) { let _: Int = try $0["id"] } }
            }
            #expect("\(String(describing: error))".contains("column id"))
            let read: () async throws -> Void = {
                try await storage.read { database in
                    try database.forEachRow(sql: SQLiteStatement(sql)) { row in
                        let id: Int? = row["id"]
                        #expect(id == nil)
                    }
                }
            }
            if sql.contains("NULL") { try await read() } else { await expect(.unexpectedRow, not: "secret", read) }
        }
    }

    @Test("A value that does not fit a type is refused when it is read")
    func narrowing() async throws {
        try await withStorage(Self.cells) { storage in
            func expectRefused<Value: SQLiteConvertible & Sendable>(_ type: Value.Type, _ sql: SQLiteStatement) async {
                await expect(.unexpectedRow, saying: "\(type)") {
                    let _: Value? = try await storage.read { try $0.select(sql: sql) }
                }
            }
            await expectRefused(Int8.self, "SELECT 128")
            await expectRefused(UInt64.self, "SELECT -1")
            await expectRefused(Bool.self, "SELECT 2")
            await expectRefused(Float.self, "SELECT 0.1")
            await expectRefused(Double.self, "SELECT 9007199254740993")
            await expectRefused(Role.self, "SELECT 'king'")
            await expectRefused(UUID.self, "SELECT 'E621E1F8'")
            await expectRefused(String.self, "SELECT CAST(x'FF' AS TEXT)")
            await expectRefused(Data.self, "SELECT 'text'")
            #expect(try await storage.number("SELECT 3.0") == 3)
            let uuid: UUID? = try await storage.read {
                try $0.select(sql: "SELECT x'E621E1F8C36C495A93FC0C247A3E6E5F'")
            }
            #expect(uuid == UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
            await expect(.unexpectedRow) {
                let _: [Int] = try await storage.read { try $0.select(sql: "VALUES (1), (NULL)") }
            }
            let numbers: [Int?] = try await storage.read { try $0.select(sql: "VALUES (1), (NULL)") }
            #expect(numbers == [1, nil])
        }
    }
}

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

private struct Address: Codable, Equatable, Sendable {
    var street: String
    var since: Date?
    var numbers: [Int]
}

private struct Person: SQLiteRecord, Equatable, Sendable {
    static let tableName = "cells"

    var address: Address
    var former: [Address]
    var scores: [String: Double]
    var next: Address?

    func save(into row: inout SQLiteRow) throws {
        row["value"] = address
        row["former"] = former
        row["scores"] = scores
        row["next"] = next
    }

    static func load(from row: SQLiteRow) throws -> Person {
        Person(
            address: try row["value"], former: try row["former"], scores: try row["scores"], next: row["next"])
    }
}

private enum Role: String, SQLiteConvertible, Codable { case guest, owner }
private enum Level: Int8, SQLiteConvertible { case low = -128, high = 127 }

@Suite("Values in columns")
struct ValueTests {
    private static let cells = """
        CREATE TABLE cells (value, former, scores, next);
        CREATE TABLE typed (id INTEGER PRIMARY KEY, i INTEGER, d DOUBLE, b BOOLEAN, t TEXT, x BLOB);
        """

    /// Stores a value through a record and through an interpolation, and gives what comes back each way.
    private func roundTrip<Value: SQLiteConvertible & Sendable>(
        _ value: Value?, in storage: SQLiteStorage
    ) async throws -> [Value?] {
        try await storage.write { database in
            try database.delete(Cell<Value>.all)
            try database.insert(Cell(value))
            let saved: Cell<Value>? = try database.select(Cell<Value>.all)
            try database.update(Cell<Value>.all, set: [Column("value").set(to: value)])
            let updated: Value? = try database.select(sql: "SELECT value FROM cells")
            let bound: Value? = try database.select(sql: "SELECT \(value)")
            if let value {
                #expect(try database.count(Cell<Value>.where(Column("value") == value)) == 1)
                #expect(try database.count(Cell<Value>.where(Column("value").isOne(of: [value]))) == 1)
            }
            return [saved?.value, updated, bound]
        }
    }

    private func expectSame<Value: SQLiteConvertible & Sendable & Equatable>(
        _ values: [Value?], in storage: SQLiteStorage, _ comment: Comment? = nil
    ) async throws {
        for value in values {
            for result in try await roundTrip(value, in: storage) { #expect(result == value, comment) }
        }
    }

    @Test("Values of every type come back as they went in, at their limits too")
    func everyType() async throws {
        try await withStorage(Self.cells) { storage in
            try await expectSame([Int64.min, .max, 0, nil], in: storage)
            try await expectSame([Int.min, .max, -1], in: storage)
            try await expectSame([Int8.min, .max], in: storage)
            try await expectSame([UInt8.max, 0], in: storage)
            try await expectSame([UInt64(Int64.max), 0], in: storage)
            try await expectSame([true, false, nil], in: storage)
            try await expectSame(
                [
                    0, -0.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, .infinity, -.infinity,
                    Double(1 << 60), nil,
                ],
                in: storage)
            try await expectSame(
                [Float.pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, 0.1], in: storage)
            try await expectSame(["", "a\0b", "é", "e\u{301}", "👩‍👩‍👧", "7", "NULL", nil], in: storage)
            try await expectSame([Data(), Data([0]), Data([0xFF, 0xFE, 0]), Data("text".utf8), nil], in: storage)
            try await expectSame([Data([1, 2, 3, 4]).dropFirst(2)], in: storage)
            try await expectSame([UUID(), nil], in: storage)
            try await expectSame(
                [URL(string: "https://example.org/a%20b?c=d#e"), URL(string: "file:///tmp/%F0%9F%98%80"), nil],
                in: storage)
            try await expectSame([Role.owner, nil], in: storage)
            try await expectSame([Level.low, .high], in: storage)
            try await expectSame([SQLiteValue.text("x"), .blob(Data()), .integer(.min), .real(.infinity)], in: storage)
        }
    }

    @Test("A date comes back exactly as it went in")
    func dates() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var dates: [Date?] = [Date(), .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1), nil]
        for _ in 0..<200 {
            let bits = Double(bitPattern: generator.next())
            let near = Double(Int64.random(in: -1 << 40...1 << 40, using: &generator)) / 1_000_003
            dates += [bits.isNaN ? nil : Date(timeIntervalSinceReferenceDate: bits), Date(timeIntervalSince1970: near)]
        }
        try await withStorage(Self.cells) { try await expectSame(dates, in: $0, "seed \(seed)") }
    }

    @Test("A value without a stored form is refused, changes nothing, and is not quoted")
    func unsupportedValue() async throws {
        try await withStorage(Self.cells) { storage in
            try await storage.write { try $0.insert(Cell(1)) }
            let before = try await storage.dump()
            await expect(.encodingFailed, saying: "value", not: "9223372036854775809") {
                try await storage.write { try $0.insert(Cell(UInt64(Int64.max) + 2)) }
            }
            await expect(.encodingFailed, saying: storage.path) {
                try await storage.write { try $0.update(Cell<Double>.all, set: [Column("value").set(to: Double.nan)]) }
            }
            await expect(.encodingFailed) { try await storage.write { try $0.insert(Cell(Float.nan)) } }
            await expect(.encodingFailed) { try await storage.write { try $0.insert(Cell(SQLiteValue.real(.nan))) } }
            await expect(.encodingFailed) {
                _ = try await storage.read { try $0.count(Cell<Double>.where(Column("value") < Double.nan)) }
            }
            await expect(.encodingFailed) {
                let many = [Double](repeating: .nan, count: 1000)
                _ = try await storage.read { try $0.count(Cell<Double>.where(Column("value").isOne(of: many))) }
            }
            await expect(.encodingFailed) {
                try await storage.write { try $0.execute(sql: "INSERT INTO cells (value) VALUES (\(UInt.max))") }
            }
            await expect(.encodingFailed, not: "secret street") {
                let address = ["secret street": Double.nan]
                try await storage.write { try $0.update(Cell<Int>.all, set: [Column("value").set(to: address)]) }
            }
            await expect(.encodingFailed) {
                try await storage.write { database in
                    try database.create(table: "t") { $0.column("a", .double).defaults(to: Double.nan) }
                }
            }
            #expect(try await storage.dump() == before)
        }
    }

    @Test("Codable columns hold JSON that tools can read")
    func codable() async throws {
        try await withStorage(Self.cells) { storage in
            let address = Address(
                street: "O'Hara's \"Road\"/\0😀", since: Date(timeIntervalSinceReferenceDate: 0.1), numbers: [1])
            for next in [nil, address] {
                let person = Person(
                    address: address, former: [address, address], scores: ["a": 0.1, "ä": -1e300], next: next)
                try await storage.write { database in
                    try database.delete(Person.all)
                    try database.insert(person)
                }
                #expect(try await storage.read { try $0.select(Person.all) } == person)
            }
            #expect(try await storage.texts("SELECT json_extract(value, '$.numbers[0]') || '' FROM cells") == ["1"])
            #expect(try await storage.texts("SELECT typeof(value) FROM cells") == ["text"])
            // What is there for the type is no JSON of it; what it is, is not told.
            await expect(.unexpectedRow, saying: "former", not: "secret") {
                try await storage.write {
                    try $0.execute(sql: "UPDATE cells SET former = '[\"secret\"]'")
                    let _: Person? = try $0.select(Person.all)
                }
            }
        }
    }

    @Test(
        "A column without a value of the expected type is reported by name, not by value",
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
            // As an optional, only `NULL` is nil; what else there is makes the whole selection fail.
            let isNull = sql.contains("NULL")
            let read: () async throws -> Void = {
                try await storage.read { database in
                    try database.forEachRow(sql: SQLiteStatement(sql)) { row in
                        let id: Int? = row["id"]
                        #expect(id == nil)
                    }
                }
            }
            if isNull { try await read() } else { await expect(.unexpectedRow, saying: message, not: "secret", read) }
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

    @Test("Declared types take their values as they are")
    func declaredTypes() async throws {
        try await withStorage(Self.cells) { storage in
            try await storage.write { database in
                try database.execute(
                    sql:
                        "INSERT INTO typed VALUES (1, \(Int64.min), \(0.1), \(true), \("007"), \(Data("1".utf8))), (2, \(Int64.max), \(5.0), \(false), \("1e5"), \(Data()))"
                )
            }
            let rows = try await storage.dump().suffix(2)
            #expect(rows.first?.contains(".integer(-9223372036854775808)") == true)
            let types = try await storage.texts(
                "SELECT typeof(i) || typeof(d) || typeof(b) || typeof(t) || typeof(x) FROM typed")
            #expect(types == ["integerrealintegertextblob", "integerrealintegertextblob"])
            #expect(try await storage.texts("SELECT t FROM typed ORDER BY id") == ["007", "1e5"])
        }
    }
}

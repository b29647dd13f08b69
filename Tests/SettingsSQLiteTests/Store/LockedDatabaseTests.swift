import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsSQLite

/// What is so for each store, is in the tests of all stores.
@Suite("A database that another program keeps locked", .timeLimit(Rounds.timeLimit), .ownThreads)
struct LockedDatabaseTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)

    /// A store with a value, and another program that has the database locked.
    private struct Stall {
        let path: String
        let service: SettingsService
        let problems: Recorder<SettingsError>
        let other: OtherProgram

        init(_ path: String, definition: String? = nil) throws {
            self.path = path
            other = try OtherProgram(path)
            if let definition { try other.run(definition) }
            let store = try SQLiteStore(at: URL(fileURLWithPath: path), patience: .milliseconds(300))
            (service, problems) = SettingsService.over(store)
            try service.save(LockedDatabaseTests.a, to: 1)
            try other.run("BEGIN IMMEDIATE")
        }

        func stored(_ name: String) throws -> Data? { try freshStore(path).get(key(name)) }
    }

    @Test(
        "Of pending values, the database keeps all but those that it refuses, which are reported and read as before",
        arguments: [
            ("length(value) < 9", SettingsError.Code.constraintViolated),
            // The integer has no absolute value.
            ("length(value) < 9 OR abs(-9223372036854775807 - 1) > 0", .statementFailed),
        ])
    func refused(check: String, code: SettingsError.Code) async throws {
        try await withDatabase { path in
            let stall = try Stall(
                path, definition: "CREATE TABLE settings (name TEXT PRIMARY KEY, value CHECK (\(check)))")
            stall.service.set(Self.a, to: 135_791_357)
            stall.service.set(Self.b, to: 7)
            #expect(stall.service.get(Self.a) == 135_791_357)
            try stall.other.run("COMMIT")
            #expect(try await eventually { try stall.stored("b") == Data("7".utf8) })
            #expect(try await eventually { stall.service.get(Self.a) == 1 })
            #expect(try await eventually { stall.problems.all.contains { $0.code == code } })
            #expect(stall.problems.all.first { $0.code == code }?.key?.name == "a")
            #expect(!stall.problems.all.contains { "\($0)".contains("135791357") })
            try stall.service.save(Self.a, to: 2)
            #expect(try stall.stored("a") == Data("2".utf8))
        }
    }

    @Test("What is pending for a file that was removed is given up and reported, and a set fails")
    func removed() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            stall.service.set(Self.a, to: 2)
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            #expect(try await eventually { stall.service.get(Self.a) == 1 })
            #expect(try await eventually { stall.problems.all.contains { $0.code == .fileReplaced } })
            expectError(.fileReplaced) { try stall.service.save(Self.a, to: 3) }
            #expect(stall.service.get(Self.a) == 1)
        }
    }

    @Test("A set inside an access to a storage fails, and what is pending stays")
    func insideAccess() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            stall.service.set(Self.a, to: 2)
            AccessMark.inside { stall.service.set(Self.b, to: 3) }
            #expect(stall.service.get(Self.a) == 2 && stall.service.get(Self.b) == 0)
            #expect(stall.problems.all.map(\.code) == [.pending, .outsideAccess])
            try stall.other.run("COMMIT")
            #expect(try await eventually { try stall.stored("a") == Data("2".utf8) })
        }
    }
}

import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Another program has begun to write, and does not end.
@Suite("A stalled program stalls no set in a database", .timeLimit(.minutes(2)), .ownThreads)
struct LockedDatabaseTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)
    private static let patience = Duration.milliseconds(300)

    /// A store with a value, and another program that has the database locked.
    private struct Stall {
        let path: String
        let service: SettingsService
        let problems: Recorder<SettingsError>
        let other: OtherProgram

        init(_ path: String, patience: Duration = LockedDatabaseTests.patience, definition: String? = nil) throws {
            self.path = path
            other = try OtherProgram(path)
            if let definition { try other.run(definition) }
            let store = try SQLiteStore(at: URL(fileURLWithPath: path), patience: patience)
            (service, problems) = SettingsService.over(store)
            try service.save(LockedDatabaseTests.a, to: 1)
            try other.run("BEGIN IMMEDIATE")
        }

        func stored(_ name: String) throws -> Data? { try freshStore(path).get(key(name)) }
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

    @Test("A set while the database is locked returns soon; its value is in force, and stored as soon as possible")
    func kept() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            let log = Recorder<Int>()
            let subscription = stall.service.observe(Self.a) { log.append($0.newValue) }
            #expect(duration { stall.service.set(Self.a, to: 2) } < Self.patience + .seconds(2))
            #expect(try stall.stored("a") == Data("1".utf8) && stall.service.get(Self.a) == 2)
            #expect(stall.problems.all.map(\.code) == [.pending] && stall.problems.all[0].key?.name == "a")
            // No set waits again.
            #expect(duration { for number in 3...100 { stall.service.set(Self.a, to: number) } } < Self.patience * 20)
            stall.service.set(Self.b, to: 7)
            #expect(Set(stall.service.keys(in: .defaults)) == ["a", "b"])
            stall.service.reset(Self.b)
            #expect(stall.service.keys(in: .defaults) == ["a"])
            #expect(stall.problems.all.map(\.code) == [.pending, .pending])
            try stall.other.run("COMMIT")
            #expect(try await eventually { try stall.stored("a") == Data("100".utf8) })
            #expect(try await eventually { stall.problems.all.map(\.code) == [.pending, .pending, .recovered] })
            #expect(stall.service.get(Self.a) == 100)
            #expect(try stall.stored("b") == nil)
            #expect(log.all == Array(2...100))
            try stall.service.synchronize()
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("While the database is locked, save, update and synchronize throw in time, and change nothing")
    func throwing() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            var error: SettingsError?
            let taken = duration { error = expectError(.busy) { try stall.service.save(Self.a, to: 2) } }
            #expect(error?.key?.name == "a")
            #expect(taken >= Self.patience - .milliseconds(50) && taken < Self.patience + .seconds(3), "\(taken)")
            stall.service.set(Self.b, to: 2)
            expectError(.busy) { try stall.service.save(Self.a, to: 3) }
            expectError(.busy) { try stall.service.synchronize() }
            expectError(.busy) { try stall.service.save { $0.update(Self.a) { $0 += 1 } } }
            #expect(stall.service.get(Self.a) == 1 && stall.service.get(Self.b) == 2)
            try stall.other.run("COMMIT")
            try stall.service.save(Self.a, to: 4)
            // The store writes pending values first.
            #expect(try stall.stored("a") == Data("4".utf8) && stall.stored("b") == Data("2".utf8))
        }
    }

    @Test("While a save waits for the other program, a set of another thread does not wait with it")
    func besideASave() async throws {
        try await withDatabase { path in
            let stall = try Stall(path, patience: .seconds(30))
            let service = stall.service
            let outcome = onThread { try service.save(Self.b, to: 5) }
            let taken = duration {
                stall.service.set(Self.a, to: 2)
                #expect(stall.service.get(Self.a) == 2)
            }
            #expect(taken < .seconds(10), "\(taken)")
            try stall.other.run("COMMIT")
            #expect(try await eventually { outcome.all == [true] })
            #expect(try await eventually { try stall.stored("a") == Data("2".utf8) })
            #expect(try stall.stored("b") == Data("5".utf8))
        }
    }

    @Test("Pending values follow what the other program writes, and hide its values for the same settings")
    func order() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            let log = Recorder<Int>()
            let others = Recorder<Int>()
            let subscriptions = [
                stall.service.observe(Self.a) { log.append($0.newValue) },
                stall.service.observe(Self.b) { others.append($0.newValue) },
            ]
            stall.service.set(Self.a, to: 2)
            try stall.other.run("UPDATE settings SET value = '8' WHERE name = 'a'")
            try stall.other.run("INSERT INTO settings VALUES ('b', '9')")
            try stall.other.run("COMMIT")
            #expect(try await eventually { try stall.stored("a") == Data("2".utf8) })
            #expect(try await eventually { others.all == [9] })
            #expect(stall.service.get(Self.a) == 2 && stall.service.get(Self.b) == 9)
            #expect(log.all == [2])
            try stall.service.save(Self.a, to: 3)
            #expect(log.all == [2, 3])
            withExtendedLifetime(subscriptions) {}
        }
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

    @Test("A process that is killed loses what is pending, and nothing else")
    func killed() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            let worker = try Worker("keep", path, "a", "2")
            await worker.wait(for: "problem pending")
            await worker.wait(for: "2")
            worker.send(SIGKILL)
            await worker.status()
            try stall.other.run("COMMIT")
            #expect(try stall.stored("a") == Data("1".utf8))
            try stall.service.save(Self.b, to: 3)
            #expect(stall.service.get(Self.a) == 1)
        }
    }

    @Test("A process that exits in order writes what is pending, if the lock is free by then")
    func exiting() async throws {
        try await withDatabase { path in
            let stall = try Stall(path)
            let worker = try Worker("keep", path, "a", "2")
            await worker.wait(for: "problem pending")
            await worker.wait(for: "2")
            try await worker.hasStopped()
            try stall.other.run("COMMIT")
            worker.send(SIGCONT)
            #expect(await worker.status() == 0)
            #expect(try stall.stored("a") == Data("2".utf8))
        }
    }
}

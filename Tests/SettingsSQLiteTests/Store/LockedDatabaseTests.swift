import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("A database that another program keeps locked", .timeLimit(Rounds.timeLimit))
struct LockedDatabaseTests {
    private static let settings = (0..<8).map { Setting<Int>("\($0)", in: .defaults, default: 0) }

    @Test("Every write fails in time, changes nothing and is not made later; the next one after the lock works")
    func locked() async throws {
        try await withDatabase { path in
            let store = try SQLiteStore(at: URL(fileURLWithPath: path), patience: .seconds(2))
            let (service, problems) = SettingsService.over(store)
            let first = Self.settings[0]
            try service.save(first, to: 1)
            let other = try OtherProgram(path)
            try other.run("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            for setting in Self.settings { service.set(setting, to: 2) }
            // The first one waits, those that follow do not.
            #expect(ContinuousClock.now - start > .milliseconds(1_900) && ContinuousClock.now - start < .seconds(14))
            #expect(problems.all.map(\.code) == Self.settings.map { _ in .busy })
            #expect(problems.all.map(\.key?.name) == Self.settings.map(\.key.name))
            expectError(.busy) { try service.save(first, to: 3) }
            expectError(.busy) { try service.save { $0.update(first) { $0 += 1 } } }
            service.transaction { for setting in Self.settings { $0.set(setting, to: 4) } }
            #expect(ContinuousClock.now - start > .milliseconds(7_600))
            #expect(Self.settings.map { service.get($0) } == [1, 0, 0, 0, 0, 0, 0, 0])
            try other.run("COMMIT")
            try service.synchronize()
            #expect(try other.run("SELECT name, value FROM settings") == [["0", "1"]])
            service.set(first, to: 5)
            #expect(try freshStore(path).get(key("0")) == Data("5".utf8))
            #expect(problems.all.count == Self.settings.count + 1)
        }
    }
}

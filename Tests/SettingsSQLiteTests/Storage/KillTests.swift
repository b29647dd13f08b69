import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Death in the middle of a write", .serialized)
struct KillTests {
    @Test("What was acknowledged is there, and each write is there wholly or not at all, many times")
    func writes() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            for round in 0..<Rounds.choose(20, full: 200) {
                let worker = try Worker("database-write", url.path)
                let acknowledged = await worker.runUntilKilled(afterLines: .random(in: 1...6, using: &generator))
                let storage = try SQLiteStorage(at: url)
                let (counts, last, check): ([Int], Int?, [String]) = try await storage.read { database in
                    (
                        try database.select(
                            sql: "SELECT count(*) FROM left GROUP BY n UNION ALL SELECT count(*) FROM right GROUP BY n"),
                        try database.select(sql: "SELECT max(n) FROM left"),
                        try database.select(sql: "PRAGMA integrity_check")
                    )
                }
                let stored = last ?? 0
                #expect(stored >= acknowledged && acknowledged > 0, "seed \(seed), round \(round)")
                #expect(counts == Array(repeating: 20, count: 2 * stored), "seed \(seed), round \(round)")
                #expect(check == ["ok"], "seed \(seed), round \(round)")
            }
        }
    }
}

import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("Migrations in several processes", .timeLimit(Rounds.timeLimit), .ownThreads)
struct MigrationProcessTests {
    @Test("Several processes that migrate at once carry out each step once in the ledger's store", arguments: [1, 2])
    func together(files: Int) async throws {
        for _ in 0..<Rounds.choose(2, full: 5) {
            try await withTemporaryDirectory { directory in
                let (path, other) = (directory + "/Near.plist", files == 2 ? directory + "/Far.plist" : "-")
                let workers = try (0..<4).map { _ in try Worker("migrate-up-to", path, other, "20") }
                for worker in workers {
                    #expect(await worker.status() == 0)
                    for await line in worker.lines { Issue.record("\(line)") }
                }
                let near = try open(path)
                let far = files == 2 ? try open(other) : near
                // The other store's steps are carried out at least once.
                let right = files == 1 ? 20...20 : 1...20
                for (name, store, range) in [("left", near, 20...20), ("right", far, right)] {
                    #expect(try range.contains(store.number(name)) && range.contains(store.number(name + "Count")))
                }
                let ledger = try #require(near.get(key(SettingsService.migrationLedger)))
                #expect(try JSONDecoder().decode([String].self, from: ledger) == (1...20).map { "\($0)" })
            }
        }
    }
}

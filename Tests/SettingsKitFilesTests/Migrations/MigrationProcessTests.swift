import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

@Suite("Migrations in processes that are killed, and in several at once", .timeLimit(Rounds.timeLimit), .ownThreads)
struct MigrationProcessTests {
    /// The contents as a new process reads them.
    private struct Found {
        let near: PropertyListStore
        let far: PropertyListStore
        let service: SettingsService

        init(_ path: String, _ other: String?) throws {
            near = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
            far = try other.map { try PropertyListStore(path: $0, fileSystem: POSIXFileSystem()) } ?? near
            service = SettingsService(
                stores: [.defaults: near, .shared: far],
                diagnosticSink: .init { Issue.record("\($0)") })
        }

        func number(_ name: String, _ store: PropertyListStore) -> Int {
            store.get(key(name)).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        }

        var ledger: [String] {
            get throws {
                try near.get(key(SettingsService.migrationLedger)).map {
                    try JSONDecoder().decode([String].self, from: $0)
                } ?? []
            }
        }

        /// Expects the state after a number of migrations, which it returns. The other file may be one migration ahead if the last
        /// one was interrupted, and a value on its way may be in both files.
        func expectWhole(isInterrupted: Bool = false, _ comment: Comment) throws -> Int {
            let done = number("left", near)
            let ahead = number("right", far) - done
            #expect(ahead == 0 || isInterrupted && ahead == 1, comment)
            #expect(number("leftCount", near) == done, comment)
            #expect(number("rightCount", far) == done + ahead, comment)
            #expect(try ledger == (0..<done).map { "\($0 + 1)" }, comment)
            let batons = [near.get(key("baton")), far.get(key("farBaton"))]
            #expect(batons.allSatisfy { $0 == nil || $0 == Data("\"b\"".utf8) }, comment)
            if isInterrupted {
                #expect(batons != [nil, nil], comment)
            } else {
                #expect(batons.map { $0 != nil } == (done % 2 == 0 ? [true, false] : [false, true]), comment)
            }
            return done
        }
    }

    private func prepare(_ path: String) throws {
        let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
        try store.set(key("baton"), to: Data("\"b\"".utf8))
        try store.bringUpToDate()
    }

    @Test(
        "A killed process leaves each migration done or not begun, of two files after the next call", arguments: [1, 2])
    func killed(files: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("killed in a migration of \(files): seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        try await withTemporaryDirectory { directory in
            let (path, other) = (directory + "/Near.plist", files == 2 ? directory + "/Far.plist" : nil)
            try prepare(path)
            let rounds = Rounds.choose(20, full: 100)
            for round in 0..<rounds {
                let worker = try Worker("migrate", path, other ?? "-")
                var wanted = Int.random(in: 1...6, using: &generator)
                let pause = Int.random(in: 0...2_000, using: &generator)
                var acknowledged = 0
                for await line in worker.lines {
                    acknowledged = try #require(Int(line), "\(line)")
                    wanted -= 1
                    if wanted == 0 {
                        // Anywhere in the next one.
                        usleep(UInt32(pause))
                        worker.send(SIGKILL)
                    }
                }
                let comment: Comment = "round \(round), seed \(seed)"
                let found = try Found(path, other)
                let done = try found.expectWhole(isInterrupted: files == 2, comment)
                #expect(done >= acknowledged, comment)
                try found.service.bringUpToDate()
            }
            let last = try Found(path, other).number("left", Found(path, other).near) + 1
            #expect(await (try Worker("migrate-up-to", path, other ?? "-", "\(last)")).status() == 0)
            #expect(try Found(path, other).expectWhole("seed \(seed)") == last)
        }
    }

    @Test("Several processes that migrate at once carry out each step once in the ledger's store", arguments: [1, 2])
    func together(files: Int) async throws {
        try await withTemporaryDirectory { directory in
            let (path, other) = (directory + "/Near.plist", files == 2 ? directory + "/Far.plist" : nil)
            for _ in 0..<Rounds.choose(2, full: 5) {
                for path in [path, other].compactMap(\.self) {
                    for file in [path, path + "-log"] where FileManager.default.fileExists(atPath: file) {
                        try FileManager.default.removeItem(atPath: file)
                    }
                }
                let workers = try (0..<4).map { _ in try Worker("migrate-up-to", path, other ?? "-", "20") }
                for worker in workers {
                    #expect(await worker.status() == 0)
                    for await line in worker.lines { Issue.record("\(line)") }
                }
                let found = try Found(path, other)
                // In another store than the ledger's, the step of a late process may come after later ones.
                let right = files == 1 ? 20...20 : 1...20
                for (name, store, range) in [("left", found.near, 20...20), ("right", found.far, right)] {
                    #expect(range.contains(found.number(name, store)))
                    #expect(range.contains(found.number(name + "Count", store)))
                }
                #expect(try found.ledger == (1...20).map { "\($0)" })
            }
        }
    }
}

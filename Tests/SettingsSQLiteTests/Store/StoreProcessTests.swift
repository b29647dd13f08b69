import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Other processes use the database of a store, and are killed", .timeLimit(Rounds.timeLimit), .ownThreads)
struct StoreProcessTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    @Test("Every acknowledged change survives the killing of its process, batches whole, many times")
    func killed() async throws {
        try await withDatabase { path in
            let seed = UInt64.random(in: .min ... .max)
            print("killed: seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<Rounds.choose(20, full: 200) {
                let worker = try Worker("write", path)
                let acknowledged = await worker.runUntilKilled(afterLines: .random(in: 1...30, using: &generator))
                let store = try freshStore(path)
                #expect(try store.number("own") >= acknowledged && store.number("left") >= acknowledged, "seed \(seed)")
                #expect(try store.number("own") <= acknowledged + 1, "seed \(seed)")
                #expect(try store.number("left") == store.number("right"), "seed \(seed)")
                #expect(try OtherProgram(path).text("PRAGMA integrity_check") == "ok", "seed \(seed)")
            }
        }
    }

    @Test("Processes that update one counter lose nothing, and a listener ends on the total")
    func counting() async throws {
        try await withDatabase { path in
            let (service, problems) = SettingsService.over(try openStore(path))
            let changes = service.changes(of: Self.counter)
            let workers = try (0..<3).map { _ in try Worker("count", path, "1000") }
            for _ in 0..<1_000 { try service.save { $0.update(Self.counter) { $0 += 1 } } }
            var last = 0
            for await change in changes {
                #expect(change.oldValue == last)
                last = change.newValue
                if last == 4_000 { break }
            }
            for worker in workers { #expect(await worker.status() == 0) }
            #expect(try freshStore(path).get(key("counter")) == Data("4000".utf8))
            #expect(problems.all.isEmpty)
        }
    }

    @Test("Processes that set keys of their own lose none")
    func filling() async throws {
        try await withDatabase { path in
            let workers = try (0..<3).map { try Worker("fill", path, "worker \($0)", "500") }
            for worker in workers { #expect(await worker.status() == 0) }
            let store = try freshStore(path)
            #expect(store.keys().count == 1_500)
            for worker in 0..<3 {
                for number in 0..<500 {
                    #expect(store.get(key("worker \(worker) \(number)")) == Data("\(number)".utf8))
                }
            }
        }
    }

    @Test("A process that is forked loses nothing, and neither does its parent")
    func forked() async throws {
        try await withDatabase { path in
            try await Worker.run("fork", path, "500")
            let store = try freshStore(path)
            #expect(store.get(key("counter")) == Data("1000".utf8))
            #expect(store.keys().count == 1_002)
        }
    }

    @Test("A forked child's change after its parent has closed the database is not lost")
    func parentCloses() async throws {
        try await withDatabase { path in
            try await Worker.run("fork-and-close", path, "100")
            let store = try freshStore(path)
            for number in 0..<100 { #expect(store.get(key("child \(number)")) == Data("\(number)".utf8)) }
            #expect(try OtherProgram(path).text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test("A forked child that could not take locks of its own is refused, and still reads what it knows")
    func inheritedTwice() async throws {
        try await withDatabase { path in
            try await Worker.run("fork-with-two", path)
            #expect(try freshStore(path).get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A limit on the size of files causes an error and no loss, and writing works once it is raised")
    func limited() async throws {
        try await withDatabase { path in
            try await Worker.run("limited", path, "200000")
            let store = try freshStore(path)
            let size = try #require(store.get(key("text"))?.count) - 2
            #expect(size > 100)
            #expect(store.get(key("afterwards")) == Data("\(size)".utf8))
        }
    }

    @Test("A process that is stopped during a write blocks other processes' writes, but not their reads")
    func stoppedHolder() async throws {
        try await withDatabase { path in
            let store = try SQLiteStore(path: try Self.made(path), isWatching: false, patience: .milliseconds(50))
            let holder = try Worker("database-lock", path)
            await holder.wait(for: "locked")
            holder.send(SIGSTOP)
            let batch = SettingsStoreBatch(writes: [.init(key: key("a"), data: Data("2".utf8))])
            let error = expectError(.busy) { _ = try store.apply(batch) }
            #expect(error?.description.contains(path) == true)
            #expect(store.get(key("a")) == Data("1".utf8))
            #expect(try freshStore(path).get(key("a")) == Data("1".utf8))
            try store.refresh()
            holder.send(SIGKILL)
            await holder.status()
            try store.set(key("a"), to: Data("3".utf8))
            #expect(try freshStore(path).get(key("a")) == Data("3".utf8))
        }
    }

    /// The path of a database with a setting in it.
    private static func made(_ path: String) throws -> String {
        try openStore(path).set(key("a"), to: Data("1".utf8))
        return path
    }
}

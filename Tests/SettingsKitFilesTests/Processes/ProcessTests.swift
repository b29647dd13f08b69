import Foundation
import SettingsKitCore
import SettingsKitFiles
@testable import SettingsKitPlatform
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Other processes write, and are killed", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ProcessTests {
    private static let counter = Setting<Int>("counter", in: .defaults, default: 0)

    /// What a process finds that has nothing in memory yet.
    private func fresh(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
    }

    @Test("Every acknowledged change survives the killing of its process, many times")
    func killed() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let seed = UInt64.random(in: .min ... .max)
            print("killed: seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            var lost = 0
            for _ in 0..<Rounds.choose(20, full: 1_000) {
                let worker = try Worker("write", path)
                let acknowledged = await worker.runUntilKilled(afterLines: .random(in: 1...30, using: &generator))
                let store = try fresh(path)
                if try store.number("own") < acknowledged || store.number("left") < acknowledged { lost += 1 }
                #expect(try store.number("left") == store.number("right"))
                #expect(try store.number("own") <= acknowledged + 1)
                // What has recovered it writes it, too, or all rounds would be in the journal.
                try store.synchronize()
                _ = try members(of: path)
            }
            #expect(lost == 0)
        }
    }

    @Test("Two processes that update one counter many times each lose no update")
    func counting() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let count = Rounds.choose(2_000, full: 10_000)
            let workers = try (0..<2).map { _ in try Worker("count", path, "\(count)") }
            for worker in workers { #expect(await worker.status() == 0) }
            #expect(try fresh(path).get(key("counter")) == Data("\(2 * count)".utf8))
            #expect(try members(of: path) == ["counter": .integer(Int64(2 * count))])
        }
    }

    @Test("Two processes that end at the same time leave every change in the property list, although one has it locked")
    func ending() async throws {
        try await withTemporaryDirectory { directory in
            for round in 0..<Rounds.choose(10, full: 200) {
                let path = directory + "/\(round).plist"
                let workers = try (0..<2).map { _ in try Worker("count", path, "100") }
                for worker in workers { #expect(await worker.status() == 0) }
                #expect(try members(of: path) == ["counter": .integer(200)])
            }
        }
    }

    @Test("Four processes that set a thousand keys each make four thousand")
    func filling() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let workers = try (0..<4).map { try Worker("fill", path, "worker \($0)", "1000") }
            for worker in workers { #expect(await worker.status() == 0) }
            let store = try fresh(path)
            #expect(store.keys().count == 4_000)
            try store.synchronize()
            let found = try members(of: path)
            for worker in 0..<4 {
                for number in 0..<1_000 { #expect(found["worker \(worker) \(number)"] == .integer(Int64(number))) }
            }
        }
    }

    @Test("The lock of a process that was killed is free")
    func killedHolder() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let holder = try Worker("lock", path)
            await holder.wait(for: "locked")
            holder.send(SIGKILL)
            let store = try open(path)
            // Waits for the end of the process, which may be still going on, and no longer than that.
            try store.set(key("a"), to: Data("1".utf8))
            #expect(try fresh(path).get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A process that is stopped with the lock blocks other processes' changes, but not their reads")
    func stoppedHolder() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let (service, problems) = SettingsService.over(
                try PropertyListStore(
                    path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400),
                    patience: .milliseconds(100)))
            service.set(Self.counter, to: 1)
            let holder = try Worker("lock", path)
            await holder.wait(for: "locked")
            holder.send(SIGSTOP)
            let error = #expect(throws: SettingsError.self) { try service.save(Self.counter, to: 2) }
            #expect(error?.code == .busy)
            #expect(service.get(Self.counter) == 1)
            #expect(try fresh(path).get(key("counter")) == Data("1".utf8))
            holder.send(SIGKILL)
            await holder.status()
            try service.save(Self.counter, to: 3)
            #expect(service.get(Self.counter) == 3)
            #expect(problems.all.isEmpty)
        }
    }

    @Test("A process that is forked loses nothing, and neither does its parent")
    func forked() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try await Worker.run("fork", path, "500")
            let store = try fresh(path)
            #expect(store.get(key("counter")) == Data("1000".utf8))
            #expect(store.keys().count == 1_002)
        }
    }

    @Test("A limit on the size of files causes an error and no loss, and writing works once it is raised")
    func limited() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try await Worker.run("limited", path, "20000")
            let store = try fresh(path)
            let size = try #require(store.get(key("text"))?.count) - 2
            #expect(size > 100)
            #expect(store.get(key("afterwards")) == Data("\(size)".utf8))
        }
    }

    @Test("Changes of a killed process reach the property list soon after the next process that writes")
    func foldedByTheNext() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let worker = try Worker("set-and-die", path, "a", "5")
            await worker.status()
            #expect(!FileManager.default.fileExists(atPath: path))
            let store = try open(path)
            try store.set(key("b"), to: Data("6".utf8))
            #expect(
                try await eventually {
                    try FileManager.default.fileExists(atPath: path)
                        && members(of: path) == ["a": .integer(5), "b": .integer(6)]
                })
            withExtendedLifetime(store) {}
        }
    }

    @Test("An orderly exit leaves everything in the property list")
    func orderlyExit() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try await Worker.run("set", path, "a", "5")
            #expect(try members(of: path) == ["a": .integer(5)])
        }
    }
}

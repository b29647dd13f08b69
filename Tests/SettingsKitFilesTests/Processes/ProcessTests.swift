import Foundation
import SettingsKitCore
import SettingsKitFiles
import Testing

@Suite("The end of a process that has written a property list", .timeLimit(Rounds.timeLimit), .ownThreads)
struct ProcessTests {
    @Test("Two processes that end at the same time leave every change in the property list, although one has it locked")
    func ending() async throws {
        try await withTemporaryDirectory { directory in
            for round in 0..<Rounds.choose(10, full: 200) {
                let path = directory + "/\(round).plist"
                let workers = try (0..<2).map { _ in try Worker("count", path, "100") }
                var wasBusy = false
                for worker in workers {
                    for await line in worker.lines where line == "out of patience" { wasBusy = true }
                    #expect(await worker.status() == 0)
                }
                let left = try members(of: path)
                // On a busy machine, one process may have the files locked for longer than the exit of the other one waits. What
                // that one has changed is in the log then.
                #expect(left == ["counter": .integer(200)] || wasBusy, "left \(left)")
                #expect(try open(path).get(key("counter")) == Data("200".utf8))
            }
        }
    }

    @Test("Changes of a killed process reach the property list soon after the next process that writes")
    func printedByTheNext() async throws {
        try await withPropertyList { path in
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
        try await withPropertyList { path in
            try await Worker.run("set", path, "a", "5")
            #expect(try members(of: path) == ["a": .integer(5)])
        }
    }
}

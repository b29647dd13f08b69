import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
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

    @Test("What it prints reaches no file of a store, and fails as before")
    func prints() async throws {
        try await withTemporaryDirectory { directory in
            let count = 100
            try await Worker.run("print-while-closed", directory, "\(count)")
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                let bytes = try bytes(of: directory + "/" + name)
                #expect(bytes.range(of: Data("a line of the program".utf8)) == nil, "\(name)")
            }
            for number in 0..<count {
                let (service, problems) = SettingsService.over(try open("\(directory)/\(number).plist"))
                #expect(service.get(Setting<Int>("a", in: .defaults, default: 0)) == 2)
                #expect(problems.codes == [])
            }
        }
    }

    @Test(
        "The end of a process waits at most half a second for locks that another process holds, however many stores there are; nothing is lost"
    )
    func locked() async throws {
        try await withTemporaryDirectory { directory in
            let count = 40
            let worker = try Worker("set-and-wait", directory, "\(count)")
            await worker.wait(for: "set")
            let system = POSIXFileSystem()
            // Before it is in the property lists: the files are written within a second.
            let locks = try (0..<count).map { number in
                try system.openOrCreate("\(directory)/\(number).plist-lock").file
            }
            for lock in locks { #expect(try system.lock(lock, waiting: .seconds(10))) }
            let start = ContinuousClock.now
            worker.send(SIGUSR1)
            #expect(await worker.status() == 0)
            let duration = ContinuousClock.now - start
            for lock in locks { system.close(lock) }
            // Half a second for each would be twenty. The rest is what ending a process takes on a busy machine.
            #expect(duration < .seconds(12), "\(duration)")
            for number in 0..<count {
                #expect(try open("\(directory)/\(number).plist").get(key("a")) == Data("2".utf8))
            }
        }
    }
}

import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The end of a process", .timeLimit(Rounds.timeLimit))
struct ExitTests {
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

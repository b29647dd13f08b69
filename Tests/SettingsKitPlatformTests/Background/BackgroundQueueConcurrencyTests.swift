import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Background queues", .timeLimit(Rounds.timeLimit), .ownThreads)
struct BackgroundQueueConcurrencyTests {
    @Test("Work that hangs, on ever so many queues, does not keep others from theirs")
    func hanging() async throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let ended = Recorder<Bool>()
        let hanging = (0..<20).map { _ in BackgroundQueue() }
        for queue in hanging {
            queue.async {
                mayEnd.wait()
                ended.append(true)
            }
        }
        let log = Recorder<Int>()
        BackgroundQueue().async { log.append(1) }
        BackgroundQueue().async(after: .milliseconds(10)) { log.append(2) }
        #expect(try await eventually { log.all.count == 2 })
        #expect(ended.all.isEmpty)
        for _ in hanging { mayEnd.signal() }
        #expect(try await eventually { ended.all.count == hanging.count })
    }
}

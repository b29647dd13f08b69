import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Threads of the background", .timeLimit(Rounds.timeLimit), .ownThreads)
struct BackgroundThreadsConcurrencyTests {
    @Test("Work on one queue runs in order, one piece at a time")
    func order() async throws {
        let queue = BackgroundQueue()
        let log = Recorder<Int>()
        let running = Atomic(0)
        for number in 0..<10_000 {
            queue.async {
                #expect(running.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                log.append(number)
                running.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        #expect(try await eventually { log.all.count == 10_000 })
        #expect(log.all == Array(0..<10_000))
    }

    @Test("Timed work runs in the order of its times, none too early")
    func times() async throws {
        let queue = BackgroundQueue()
        let log = Recorder<Int>()
        // Each time is between two others: a busy machine may take long between two calls.
        var times: [Int: ClosedRange<ContinuousClock.Instant>] = [:]
        for number in (1...20).reversed() {
            let delay = Duration.milliseconds(number * 20)
            let start = ContinuousClock.now
            queue.async(after: delay) {
                #expect(ContinuousClock.now - start >= delay)
                log.append(number)
            }
            times[number] = start + delay...ContinuousClock.now + delay
        }
        #expect(try await eventually { log.all.count == 20 })
        let order = try log.all.map { try #require(times[$0]) }
        for (index, time) in order.enumerated() {
            #expect(order[(index + 1)...].allSatisfy { $0.upperBound >= time.lowerBound })
        }
    }

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

    @Test("A thousand queues that are busy together have few threads")
    func fewThreads() async throws {
        let queues = (0..<1_000).map { _ in BackgroundQueue() }
        let log = Recorder<Int>()
        for queue in queues {
            queue.async {
                usleep(100)
                log.append(BackgroundThreads.shared.count)
            }
        }
        #expect(try await eventually { log.all.count == queues.count })
        // Where other tests let their work hang, there are some more.
        #expect(try #require(log.all.max()) <= 66)
    }

    @Test("The last reference to an object may go with the work that holds it, and its end may use the queue")
    func released() async throws {
        final class Holder: Sendable {
            let queue: BackgroundQueue
            let log: Recorder<Int>

            init(_ queue: BackgroundQueue, _ log: Recorder<Int>) { (self.queue, self.log) = (queue, log) }

            deinit { queue.async { [log] in log.append(2) } }
        }
        let log = Recorder<Int>()
        let queue = BackgroundQueue()
        do {
            let holder = Holder(queue, log)
            queue.async(after: .milliseconds(5)) { holder.log.append(1) }
        }
        #expect(try await eventually { log.all == [1, 2] })
    }
}

import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("A mutex that a running thread takes first (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct BargingMutexConcurrencyTests {
    @Test("One thread at a time has it, and each thread gets it", arguments: [2, 8])
    func exclusion(threadCount: Int) {
        let mutex = BargingMutex([Int](repeating: 0, count: threadCount), .files)
        let rounds = 5_000
        inParallel(threadCount) { thread in
            for _ in 0..<rounds {
                mutex.withLock { counts in
                    // A lost update would show that two threads have it.
                    var changed = counts
                    changed[thread] += 1
                    counts = changed
                }
            }
        }
        #expect(mutex.withLock { $0 } == Array(repeating: rounds, count: threadCount))
    }

    @Test("A thread that waits gets it when another one has held it for long, and an error leaves it free")
    func waiting() async throws {
        let mutex = BargingMutex([Int](), .files)
        let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        DispatchQueue(label: "holder").async(group: group) {
            mutex.withLock { values in
                isHeld.signal()
                mayEnd.wait()
                values.append(1)
            }
        }
        isHeld.wait()
        for number in 2...3 {
            DispatchQueue(label: "waiting").async(group: group) {
                #expect(throws: CancellationError.self) {
                    try mutex.withLock { values in
                        values.append(number)
                        throw CancellationError()
                    }
                }
            }
        }
        mayEnd.signal()
        group.wait()
        let values = mutex.withLock { $0 }
        #expect(values.first == 1 && Set(values) == [1, 2, 3])
    }
}

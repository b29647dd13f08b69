import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("A mutex that a running thread takes first (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct BargingMutexConcurrencyTests {
    @Test("One thread at a time has it, and each thread gets it", arguments: [2, 8])
    func exclusion(threadCount: Int) {
        let mutex = BargingMutex([Int](repeating: 0, count: threadCount), .store)
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
}

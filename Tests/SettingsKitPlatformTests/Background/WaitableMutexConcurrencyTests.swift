import Testing

@testable import SettingsKitPlatform

@Suite("A mutex that threads wait at (concurrency)", .timeLimit(Rounds.timeLimit))
struct WaitableMutexConcurrencyTests {
    private let hasItem = 0
    private let hasRoom = 1

    @Test("Threads that wait at a mutex let others change its state, and go on when they are woken")
    func handOver() {
        let mutex = WaitableMutex([Int](), conditionCount: 2)
        let received = Recorder<Int>()
        inParallel(4) { thread in
            for number in 0..<1_000 {
                if thread < 2 {
                    mutex.withLock { access in
                        while access.state.count == 8 { access.wait(for: hasRoom, until: .exact(after: .seconds(60))) }
                        access.state.append(number)
                        access.signal(hasItem)
                    }
                } else {
                    let item = mutex.withLock { access in
                        while access.state.isEmpty { access.wait(for: hasItem, until: .exact(after: .seconds(60))) }
                        access.signal(hasRoom)
                        return access.state.removeFirst()
                    }
                    received.append(item)
                }
            }
        }
        #expect(received.all.sorted() == (0..<1_000).flatMap { [$0, $0] })
        #expect(mutex.withLock { $0.state.isEmpty })
    }

    @Test("A wait at a mutex that no thread wakes ends at its moment, and not before")
    func timeOut() {
        let mutex = WaitableMutex(0, conditionCount: 2)
        let end = Deadline.exact(after: .milliseconds(30))
        mutex.withLock { access in
            while Deadline.now < end { access.wait(for: hasItem, until: end) }
            access.state += 1
        }
        #expect(mutex.withLock { $0.state } == 1)
    }
}

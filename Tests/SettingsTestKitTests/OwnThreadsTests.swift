import Foundation
import Testing

@Suite("Tests on threads of their own", .timeLimit(.minutes(1)), .ownThreads)
struct OwnThreadsTests {
    private static let count = 64

    /// Blocks until all threads are here; false if they are not in time.
    private final class MeetingPoint: Sendable {
        private let arrived = Mutex(0)
        private let isComplete = DispatchSemaphore(value: 0)

        func meet() -> Bool {
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived == OwnThreadsTests.count
            }
            if isLast { for _ in 1..<OwnThreadsTests.count { isComplete.signal() } }
            return isLast || isComplete.wait(timeout: .now() + 30) == .success
        }
    }

    @Test("Any number of tasks of a test may block at the same time", arguments: 0..<2)
    func blocking(round: Int) async {
        let point = MeetingPoint()
        let haveMet = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.count { group.addTask { point.meet() } }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(haveMet)
    }

    @Test("A test without an await leaves Swift's pool to others")
    func computing() {
        #expect(withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil })
    }
}

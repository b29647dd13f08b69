import Foundation
@testable import SettingsKitPlatform
import Testing

@Suite("Writing behind")
struct WriteBehindTests {
    @Test("A write for which the system gives no time is made a second later")
    func refused() async throws {
        let (answers, writes) = (Recorder<Bool>(), Recorder<[Bool]>())
        let writer = WriteBehind(delay: .milliseconds(1)) { body in
            let isGranted = !answers.all.isEmpty
            answers.append(isGranted)
            DispatchQueue.global().async { body(isGranted) }
        }
        writer.begin {
            writes.append(answers.all)
            return true
        } report: {
            Issue.record($0)
        }
        writer.schedule()
        #expect(try await eventually { writes.all.count == 1 })
        #expect(writes.all == [[false, true]])
    }

    @Test("Changes scheduled during the delay are one write, which comes after it")
    func gathered() async throws {
        let writes = Recorder<Bool>()
        let writer = WriteBehind(delay: .milliseconds(300)) {
            writes.append(true)
        } report: {
            Issue.record($0)
        }
        let start = ContinuousClock.now
        for _ in 0..<1_000 { writer.schedule() }
        let elapsed = ContinuousClock.now - start
        #expect(try await eventually { !writes.all.isEmpty })
        #expect(ContinuousClock.now - start >= .milliseconds(299))
        // One, unless the machine had something else to do for longer than the delay.
        let count = writes.all.count
        #expect(Double(count) <= elapsed / .milliseconds(300) + 1)
        writer.schedule()
        #expect(try await eventually { writes.all.count > count })
    }

    @Test("Changes scheduled while a write is under way are written by another")
    func duringWrite() async throws {
        let writes = Recorder<Bool>()
        let begun = Recorder<Bool>()
        let mayEnd = DispatchSemaphore(value: 0)
        let writer = WriteBehind(delay: .milliseconds(1)) {
            begun.append(true)
            mayEnd.wait()
            writes.append(true)
        } report: {
            Issue.record($0)
        }
        writer.schedule()
        #expect(try await eventually { begun.all.count == 1 })
        writer.schedule()
        mayEnd.signal()
        #expect(try await eventually { begun.all.count == 2 })
        mayEnd.signal()
        #expect(try await eventually { writes.all.count == 2 })
    }
}

extension WriteBehind {
    fileprivate convenience init(
        delay: Duration, write: @escaping @Sendable () throws -> Void, report: @escaping @Sendable (any Error) -> Void
    ) {
        self.init(delay: delay)
        begin(
            write: {
                try write()
                return true
            }, report: report)
    }
}

import Foundation
@testable import SettingsKitPlatform
import Testing

@Suite("Writing behind")
struct WriteBehindTests {
    private struct Failure: Error {}

    @Test("A write comes soon after it was scheduled, and not before")
    func soon() async throws {
        let writes = Recorder<ContinuousClock.Instant>()
        let writer = WriteBehind(delay: .milliseconds(20)) {
            writes.append(.now)
        } report: {
            Issue.record($0)
        }
        let start = ContinuousClock.now
        writer.schedule()
        #expect(try await eventually { writes.all.count == 1 })
        #expect(try #require(writes.all.first) - start >= .milliseconds(19))
    }

    @Test("Changes scheduled during the delay are one write")
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

    @Test("A failure is reported once, and the write is retried until it succeeds")
    func retried() async throws {
        let attempts = Recorder<Bool>()
        let reports = Recorder<Bool>()
        let writer = WriteBehind(delay: .milliseconds(1)) {
            attempts.append(true)
            if attempts.all.count < 3 { throw Failure() }
        } report: { _ in
            reports.append(true)
        }
        writer.schedule()
        #expect(try await eventually(within: 60) { attempts.all.count == 3 })
        #expect(reports.all.count == 1)
    }

    @Test("A writer that is dropped is neither kept alive nor called")
    func dropped() async throws {
        let writes = Recorder<Bool>()
        weak var dropped: WriteBehind?
        do {
            let writer = WriteBehind(delay: .milliseconds(10)) {
                writes.append(true)
            } report: {
                Issue.record($0)
            }
            dropped = writer
            writer.schedule()
        }
        #expect(dropped == nil)
        let other = Recorder<Bool>()
        let later = WriteBehind(delay: .milliseconds(50)) {
            other.append(true)
        } report: {
            Issue.record($0)
        }
        later.schedule()
        #expect(try await eventually { other.all.count == 1 })
        #expect(writes.all.isEmpty)
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

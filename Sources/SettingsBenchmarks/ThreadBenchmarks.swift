import Foundation
import SettingsKit

extension Benchmark {
    /// Row 3: two threads that read one setting, compared with one.
    static func threads(_ fixture: Fixture) -> [Benchmark] {
        let settings = fixture.settings

        func row(_ name: String, atLeast factor: Double, _ read: @escaping @Sendable (Int) -> Void) -> Benchmark {
            Benchmark(
                row: 3, name: "two threads reading \(name)", yardstickName: "one thread",
                target: .throughputAtLeast(factor), iterations: 20_000_000,
                // Both threads together do twice as many, so a read takes half of the time.
                operation: { count in onThreads(2, count, read) / 2 }, yardstick: { count in onThreads(1, count, read) }
            )
        }
        return [
            row("an Int", atLeast: 1.6) { count in
                var sum = 0
                for _ in 0..<count { sum &+= settings.get(.launchCount) }
                use(sum)
            },
            row("a Bool", atLeast: 1.6) { count in
                var sum = 0
                for _ in 0..<count { sum &+= settings.get(.isMuted) ? 1 : 0 }
                use(sum)
            },
            row("a String", atLeast: 0.9) { count in
                var sum = 0
                for _ in 0..<count { sum &+= settings.get(.theme).utf8.count }
                use(sum)
            },
            row("a long String", atLeast: 0.9) { count in
                var sum = 0
                for _ in 0..<count { sum &+= settings.get(.greeting).utf8.count }
                use(sum)
            },
            row("a small struct", atLeast: 0.9) { count in
                var sum = 0
                for _ in 0..<count { sum &+= settings.get(.profile).age }
                use(sum)
            },
        ]
    }
}

/// Repeats an operation on each of several threads at once, and returns the nanoseconds of one repetition.
///
/// Readers choose a lock by the place of their stack. The same two threads would choose the same locks in every round, so each
/// round has threads of its own, behind others that take up some of the places.
private func onThreads(_ threads: Int, _ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
    let (others, end) = (Int.random(in: 0..<8), DispatchSemaphore(value: 0))
    for _ in 0..<others { Thread { end.wait() }.start() }
    defer { for _ in 0..<others { end.signal() } }
    return nanosecondsEach(count) {
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            let thread = Thread {
                body(count)
                group.leave()
            }
            thread.start()
        }
        group.wait()
    }
}

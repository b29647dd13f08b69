import SettingsKit

extension Benchmark {
    /// Row 8: `set` with ten thousand listeners on other settings.
    static func writing() -> [Benchmark] {
        let quiet = Listening(listenerCount: 0)
        let listened = Listening(listenerCount: 10_000)
        return [
            Benchmark(
                row: 8, name: "set with 10,000 listeners on other settings", yardstickName: "set with none",
                target: .costAtMost(1.1), iterations: 200_000, operation: listened.measure, yardstick: quiet.measure)
        ]
    }
}

/// A service with one setting that is set, and listeners on others.
private final class Listening {
    // In memory, so that a file's background writing is not measured.
    private let settings = SettingsService(defaults: MemoryStore())
    private var number = 0
    private let subscriptions: [SettingsService.Subscription]

    init(listenerCount: Int) {
        subscriptions = (0..<listenerCount).map { [settings] number in
            settings.observe(Setting<Int>("other-\(number)", in: .defaults, default: 0)) { use($0) }
        }
    }

    func measure(_ count: Int) -> Double {
        nanosecondsEach(count) {
            for _ in 0..<count {
                number += 1
                settings.set(.launchCount, to: number)
            }
        }
    }
}

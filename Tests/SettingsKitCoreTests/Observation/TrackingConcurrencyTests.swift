import SettingsKitCore
import Testing

@Suite("Tracking a live value on several threads", .timeLimit(.minutes(2)), .ownThreads)
struct TrackingConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test("Trackers on several threads end on the stored value when others set it at the same time")
    func manyTrackers() async throws {
        let settings = SettingsService.over(MemoryStore())
        for round in 1...20 {
            let live = settings.value(number)
            let trackers = (0..<4).map { _ in Tracker(live) }
            defer { for tracker in trackers { tracker.stop() } }
            inParallel(6) { thread in
                if thread < trackers.count {
                    trackers[thread].track { work(for: .microseconds(20 * thread)) }
                } else {
                    for value in 0..<25 { settings.set(number, to: round * 100 + thread * 1_000_000 + value) }
                }
            }
            let stored = settings.get(number)
            try await until { trackers.allSatisfy { $0.seen.value == stored } }
        }
    }
}

import Testing

@testable import SettingsKitPlatform

@Suite("Timed work")
struct TimedWorkTests {
    @Test("Timed work comes out by time, whatever the order in which it was put in")
    func heap() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0 ... .max, using: &generator)
        var state = seed
        let queue = BackgroundQueue()
        var works = TimedWorks()
        for _ in 0..<500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            works.insert(TimedWork(moment: .exact(after: .microseconds(Int64(state >> 45))), queue: queue) {})
        }
        let end = Deadline.exact(after: .seconds(60))
        var moments: [Deadline] = []
        while let work = works.popFirst(by: end) { moments.append(work.moment) }
        #expect(moments.count == 500 && works.isEmpty && moments == moments.sorted(), "seed \(seed)")
    }
}

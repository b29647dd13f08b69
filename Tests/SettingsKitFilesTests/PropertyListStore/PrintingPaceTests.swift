import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("When the property list is printed")
struct PrintingPaceTests {
    private static let start = ContinuousClock.now

    /// What printing costs in a simulated time, in which changes of one size are made at one interval.
    private struct Run {
        var prints = 0
        var lag = Duration.zero

        /// - Parameter cost: The processor time of one print.
        init(
            fileSize: Int64, every interval: Duration, for length: Duration,
            cost: Duration = .milliseconds(1), longest: Duration? = nil
        ) {
            let changeSize: Int64 = 63
            var pace = PrintingPace(lag: longest)
            var (now, printed, oldest) = (Duration.zero, Int64(0), Duration?.none)
            while now < length {
                let changes = Int64(now / interval) + 1
                let position = changes * changeSize
                if position > printed {
                    if oldest == nil { oldest = interval * Int(printed / changeSize) }
                    let state = PrintingPace.State(position: position, printed: printed, fileSize: fileSize)
                    if let wait = pace.wait(for: state, now: PrintingPaceTests.start + now) {
                        now += wait
                        continue
                    }
                    lag = max(lag, now - (oldest ?? now))
                    now += cost
                    pace.didPrint(at: PrintingPaceTests.start + now, elapsed: cost, processor: cost)
                    (printed, oldest, prints) = (position, nil, prints + 1)
                }
                now += .milliseconds(250)
            }
        }
    }

    @Test(
        "Printing takes a hundredth of a core while changes go on, also where it takes long",
        arguments: [(6_300, 1), (6_300_000, 250), (6_300_000, 2_000)] as [(Int64, Int)])
    func processor(fileSize: Int64, milliseconds: Int) {
        let cost = Duration.milliseconds(milliseconds)
        for interval in [Duration.milliseconds(17), .seconds(1), .seconds(3), .seconds(101)] {
            let run = Run(fileSize: fileSize, every: interval, for: .seconds(3_000), cost: cost)
            #expect(cost * run.prints <= .seconds(31) + cost, "every \(interval): \(run.prints) prints")
        }
    }

    @Test(
        "A small file has a change after a quiet second and a half, a large one after a time in which it could be written"
    )
    func quiet() {
        for (size, expected) in [(6_300, 1.5), (65_536, 1.5), (6_553_600, 100.0)] as [(Int64, Double)] {
            var pace = PrintingPace()
            let state = PrintingPace.State(position: 63, printed: 0, fileSize: size)
            var now = Duration.zero
            while let wait = pace.wait(for: state, now: Self.start + now), now < .seconds(1_000) { now += wait }
            #expect(now >= .seconds(expected - 0.01) && now <= .seconds(expected + 0.01), "\(size) bytes: \(now)")
        }
    }

    @Test(
        "While changes go on, the file lags, but no longer than it may, or than the program has chosen",
        arguments: [(6_300, nil), (65_536, nil), (6_300_000, .milliseconds(250)), (6_300_000, .seconds(5))]
            as [(Int64, Duration?)])
    func lag(fileSize: Int64, chosen: Duration?) {
        let longest = chosen ?? PrintingPace.lag(ofSize: fileSize)
        let run = Run(
            fileSize: fileSize, every: .milliseconds(chosen == nil ? 1_000 : 50), for: longest * 10, longest: chosen)
        #expect(run.lag <= longest + .seconds(2) && run.lag >= longest - .seconds(2), "\(run.lag)")
    }
}

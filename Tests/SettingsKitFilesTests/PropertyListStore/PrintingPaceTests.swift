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
        var waits = 0

        /// - Parameter cost: The processor time of one print.
        init(
            fileSize: Int64, changeSize: Int64, every interval: Duration, for length: Duration,
            cost: Duration = .milliseconds(1), longest: Duration? = nil
        ) {
            var pace = PrintingPace(lag: longest)
            var (now, printed, oldest) = (Duration.zero, Int64(0), Duration?.none)
            while now < length {
                let changes = Int64(now / interval) + 1
                let position = changes * changeSize
                if position > printed {
                    if oldest == nil { oldest = interval * Int(printed / changeSize) }
                    let state = PrintingPace.State(position: position, printed: printed, fileSize: fileSize)
                    if let wait = pace.wait(for: state, now: PrintingPaceTests.start + now) {
                        waits += 1
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
        "Changes once a second write at most 20 times their bytes, whatever the size of the file",
        arguments: [6_300, 65_536, 1 << 20, 6_300_000, 64 << 20, 256 << 20] as [Int64])
    func onceASecond(fileSize: Int64) {
        let length = PrintingPace.lag(ofSize: fileSize) * 20
        let run = Run(fileSize: fileSize, changeSize: 63, every: .seconds(1), for: min(length, .seconds(400_000)))
        let changed = Double(63) * (min(length, .seconds(400_000)) / .seconds(1))
        let written = Double(run.prints) * Double(fileSize) * 1.25 + changed
        #expect(written <= 20 * changed, "\(run.prints) prints, \(written / changed) times")
    }

    @Test(
        "A burst writes at most 20 times its bytes, whatever the size of the file",
        arguments: [6_300, 65_536, 1 << 20, 6_300_000, 64 << 20, 256 << 20] as [Int64])
    func burst(fileSize: Int64) {
        // Ten thousand changes a second.
        let run = Run(fileSize: fileSize, changeSize: 63, every: .microseconds(100), for: .seconds(300))
        let changed = 63.0 * 10_000 * 300
        #expect(Double(run.prints) * Double(fileSize) + changed <= 20 * changed, "\(run.prints) prints")
        #expect(run.prints > 0)
    }

    @Test(
        "Printing takes a hundredth of a core while changes go on, also where it takes long",
        arguments: [(6_300, 1), (6_300_000, 250), (6_300_000, 2_000)] as [(Int64, Int)])
    func processor(fileSize: Int64, milliseconds: Int) {
        let cost = Duration.milliseconds(milliseconds)
        for interval in [Duration.milliseconds(17), .seconds(1), .seconds(3), .seconds(101)] {
            let run = Run(fileSize: fileSize, changeSize: 63, every: interval, for: .seconds(3_000), cost: cost)
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

    @Test("A change every second is no quiet: the file lags, but no longer than it may", arguments: [6_300, 65_536])
    func lag(fileSize: Int64) {
        let longest = PrintingPace.lag(ofSize: fileSize)
        let run = Run(fileSize: fileSize, changeSize: 63, every: .seconds(1), for: longest * 10)
        #expect(run.lag <= longest + .seconds(2), "\(run.lag)")
        #expect(run.lag >= longest - .seconds(2), "\(run.lag)")
    }

    @Test("A chosen lag is kept, also by a large file", arguments: [250, 5_000])
    func chosenLag(milliseconds: Int) {
        let longest = Duration.milliseconds(milliseconds)
        let run = Run(
            fileSize: 6_300_000, changeSize: 63, every: .milliseconds(50), for: .seconds(60), longest: longest)
        #expect(run.lag <= longest + .seconds(1.1), "\(run.lag)")
    }

    @Test("A missing file, and one that must be rewritten, do not wait")
    func required() {
        var pace = PrintingPace()
        let state = PrintingPace.State(position: 63, printed: 63, fileSize: 6_300_000, isRequired: true)
        #expect(pace.wait(for: state, now: Self.start) == nil)
    }

    @Test("The process that has made the changes prints before the others")
    func others() throws {
        for position in [63, 100_000] as [Int64] {
            var (own, other) = (PrintingPace(), PrintingPace())
            let state = PrintingPace.State(position: position, printed: 0, fileSize: 262_144)
            var others = state
            others.isOthers = true
            let ownWait = own.wait(for: state, now: Self.start)
            let otherWait = other.wait(for: others, now: Self.start)
            if position < 65_536 { #expect(ownWait != nil) } else { #expect(ownWait == nil) }
            // It looks again, but does not print yet.
            #expect(otherWait != nil || position > 81_920)
        }
    }

    @Test("A file that an editor has written while it lacked changes is brought up to date at once")
    func edited() {
        var pace = PrintingPace()
        let state = PrintingPace.State(position: 63, printed: 0, fileSize: 6_300_000, isEdited: true)
        #expect(pace.wait(for: state, now: Self.start) == .milliseconds(250))
        #expect(pace.wait(for: state, now: Self.start + .milliseconds(250)) == nil)
    }
}

import Foundation
import SettingsKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Row 9: the time until another process receives a change.
enum Arrival {
    static let name = "a change seen by another process"
    /// The argument that makes a copy of this program make the changes.
    static let argument = "--give-signs"

    private static let sign = Setting<Int>("sign", in: .defaults, default: 0)

    /// - Returns: microseconds, the median and the 99th percentile.
    static func measure(count: Int) throws -> (median: Double, rare: Double) {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let settings = SettingsService(defaults: try PropertyListStore(url: folder.file))
        let delays = Delays()
        let subscription = settings.observe(sign) { change in
            if change.newValue > 0 { delays.append(now() - change.newValue) }
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [argument, folder.file.path, "\(count)"]
        try process.run()
        process.waitUntilExit()
        usleep(100_000)
        subscription.cancel()
        let sorted = delays.all.sorted().map { Double($0) / 1_000 }
        guard !sorted.isEmpty else { return (.infinity, .infinity) }
        return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
    }

    /// Makes the changes. Each value is the time of its change.
    static func giveSigns(_ path: String, count: Int) throws {
        let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
        for _ in 0..<count {
            try settings.save(sign, to: now())
            usleep(.random(in: 1_000...5_000))
        }
    }

    /// Nanoseconds of the clock that all processes of a machine share.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private final class Delays: Sendable {
        private let delays = Mutex<[Int]>([])
        var all: [Int] { delays.withLock { $0 } }
        func append(_ delay: Int) { delays.withLock { $0.append(delay) } }
    }
}

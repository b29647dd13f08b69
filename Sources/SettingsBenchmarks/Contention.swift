import Foundation
import SettingsKit

/// Row 19: processes that change one property list together, each its own setting, compared with as many bare processes that
/// append to one file.
///
/// The scaling of a number of processes is their throughput together, divided by the throughput of one process alone. The
/// figure is the scaling of `set`, divided by the scaling of the bare appends in the same round. A process's share in a second is
/// the number of its changes, divided by the average of all processes in that second: 1 for each if the lock is fair.
enum Contention {
    /// The argument that makes a copy of this program one of the processes, before the folder, and the work, the process's number
    /// and the seconds.
    static let argument = "--contend"

    /// What each process repeats.
    private enum Work: String {
        case set, append
    }

    /// What the processes of one measurement report: the repetitions of each in each second.
    private struct Report {
        let counts: [[Int]]

        /// The nanoseconds of one repetition, of all processes together.
        var time: Double {
            Double(counts[0].count) * 1e9 / Double(counts.joined().reduce(0, +))
        }

        /// The smallest share of a process in a second.
        var smallestShare: Double {
            counts[0].indices.map { second in
                let counts = counts.map { Double($0[second]) }
                return (counts.min() ?? 0) * Double(counts.count) / max(1, counts.reduce(0, +))
            }.min() ?? 0
        }
    }

    static func figures(_ isQuick: Bool) throws -> [Figure] {
        let (rounds, seconds) = isQuick ? (1, 1) : (5, 3)
        return try [(2, 0.8), (8, 0.4)].flatMap { processes, target -> [Figure] in
            var shares: [Double] = []
            var (slowdowns, bareSlowdowns): ([Double], [Double]) = ([], [])
            for _ in 0..<rounds {
                let bareAlone = try measure(.append, processes: 1, seconds: 1)
                let alone = try measure(.set, processes: 1, seconds: 1)
                let bare = try measure(.append, processes: processes, seconds: seconds)
                let own = try measure(.set, processes: processes, seconds: seconds)
                bareSlowdowns.append(bare.time / bareAlone.time)
                slowdowns.append(own.time / alone.time)
                shares.append(own.smallestShare)
            }
            let name = "\(processes) processes setting different settings"
            var scaling = Figure(
                19, name, .atLeast(target), "as many that lock, append 64 bytes, unlock", slowdowns, bareSlowdowns)
            // They are ratios themselves.
            (scaling.time, scaling.yardstickTime) = (nil, nil)
            return [
                scaling,
                Figure(19, "\(name): slowest one in any second", .atLeast(0.5), "of its share", shares.min()),
            ]
        }
    }

    private static func measure(_ work: Work, processes: Int, seconds: Int) throws -> Report {
        let (folder, numbers) = (try TemporaryFolder(), 0..<processes)
        let children = numbers.map { number in
            Child.start(argument, folder.url.path, "\(work.rawValue) \(number) \(seconds)")
        }
        func isReady(_ number: Int) -> Bool { FileManager.default.fileExists(atPath: folder["ready \(number)"].path) }
        let end = ContinuousClock.now + .seconds(60)
        while !numbers.allSatisfy(isReady), .now < end { usleep(1_000) }
        try Data("\(Child.now() + 50_000_000)".utf8).write(to: folder["start"], options: .atomic)
        for child in children { child.wait() }
        return Report(
            counts: try numbers.map { number in
                try JSONDecoder().decode([Int].self, from: Data(contentsOf: folder["report \(number)"]))
            })
    }

    /// The work of a copy of this program.
    static func run(_ path: String, _ words: String) throws {
        let words = words.split(separator: " ").map(String.init)
        guard words.count == 3, let number = Int(words[1]), let seconds = Int(words[2]) else {
            fatalError("The arguments are not a work, a number and seconds.")
        }
        let folder = TemporaryFolder(existing: URL(fileURLWithPath: path))
        let append = BareAppend(folder["bare"])
        var step: () -> Void = { append() }
        if words[0] == Work.set.rawValue {
            let writer = Writer(
                SettingsService(defaults: try PropertyListStore(url: folder["list/Settings.plist"])),
                Setting<Int>("number \(number)", in: .defaults, default: 0))
            step = { _ = writer.set(1) }
        }
        step()
        try Data().write(to: folder["ready \(number)"])
        // All begin at the time in this file.
        var start: Int?
        while start == nil {
            usleep(1_000)
            start = (try? String(contentsOf: folder["start"], encoding: .utf8)).flatMap { Int($0) }
        }
        guard let start else { return }
        while Child.now() < start { usleep(100) }
        var (counts, second) = (Array(repeating: 0, count: seconds), 0)
        while second < seconds {
            counts[second] += 1
            step()
            second = (Child.now() - start) / 1_000_000_000
        }
        try JSONEncoder().encode(counts).write(to: folder["report \(number)"])
    }
}

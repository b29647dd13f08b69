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

    static let shareUnit = "of its share"

    /// What each process repeats.
    private enum Work: String {
        case set, append

        /// Opens the files in a folder.
        ///
        /// - Returns: the step to repeat.
        func open(_ folder: URL, _ number: Int) throws -> () -> Void {
            switch self {
            case .set:
                let url = folder.appendingPathComponent("list/Settings.plist")
                let writer = Writer(
                    SettingsService(defaults: try PropertyListStore(url: url)),
                    Setting<Int>("number \(number)", in: .defaults, default: 0))
                return { _ = writer.set(1) }
            case .append:
                let append = BareAppend(folder.appendingPathComponent("bare"))
                return { append() }
            }
        }
    }

    /// What a process reports.
    private struct Report: Codable {
        /// The repetitions in each second.
        var counts: [Int]
        /// The nanoseconds of the longest repetition.
        var longest = 0
    }

    /// What the processes of one measurement report.
    private struct Reports {
        let reports: [Report]

        /// The nanoseconds of one repetition, of all processes together.
        var time: Double {
            let counts = reports.flatMap(\.counts)
            return Double(counts.count) / Double(reports.count) * 1e9 / Double(counts.reduce(0, +))
        }

        /// The smallest share of a process in a second.
        var smallestShare: Double {
            reports[0].counts.indices.map { second in
                let counts = reports.map { Double($0.counts[second]) }
                return (counts.min() ?? 0) * Double(counts.count) / max(1, counts.reduce(0, +))
            }.min() ?? 0
        }

        /// In microseconds.
        var longest: Double { Double(reports.map(\.longest).max() ?? 0) / 1_000 }
    }

    static func figures(_ options: Options) throws -> [Figure] {
        let (rounds, seconds) = options.isQuick ? (2, 1) : (5, 3)
        return try [2, 8].flatMap { processes -> [Figure] in
            let name = "\(processes) processes setting different settings"
            let shareName = "\(name): slowest one in any second"
            guard options.isWanted(19, name) || options.isWanted(19, shareName) else { return [] }
            var (own, bare): ([Reports], [Reports]) = ([], [])
            var (slowdowns, bareSlowdowns): ([Double], [Double]) = ([], [])
            for _ in 0..<rounds {
                let bareAlone = try measure(.append, processes: 1, seconds: 1)
                let alone = try measure(.set, processes: 1, seconds: 1)
                bare.append(try measure(.append, processes: processes, seconds: seconds))
                own.append(try measure(.set, processes: processes, seconds: seconds))
                bareSlowdowns.append(bare[bare.count - 1].time / bareAlone.time)
                slowdowns.append(own[own.count - 1].time / alone.time)
            }
            let yardstick = "as many that lock, append 64 bytes, unlock"
            return [
                Figure(
                    19, name, atLeast: 0.8, yardstick, slowdowns, bareSlowdowns, calls: own.map(\.time),
                    yardstickCalls: bare.map(\.time)),
                Figure(19, shareName, shareUnit, own.map(\.smallestShare).min(), atLeast: 0.5),
                Figure(19, "\(shareName), bare", shareUnit, bare.map(\.smallestShare).min()),
                Figure(19, "\(name): longest set", "µs", own.map(\.longest).max()),
                Figure(19, "\(name): longest bare append", "µs", bare.map(\.longest).max()),
            ]
        }
    }

    private static func measure(_ work: Work, processes: Int, seconds: Int) throws -> Reports {
        let (folder, numbers) = (try TemporaryFolder(), 0..<processes)
        let children = try numbers.map { number in
            try Child.start(
                [Child.program, argument, folder.url.path, "\(work.rawValue) \(number) \(seconds)"],
                output: folder["report \(number)"].path)
        }
        func isReady(_ number: Int) -> Bool {
            FileManager.default.fileExists(atPath: folder["ready \(number)"].path)
        }
        let end = ContinuousClock.now + .seconds(60)
        while !numbers.allSatisfy(isReady), .now < end { usleep(1_000) }
        try Data("\(Child.now() + 50_000_000)".utf8).write(to: folder["start"], options: .atomic)
        for child in children { try child.wait() }
        return Reports(
            reports: try numbers.map { number in
                try JSONDecoder().decode(Report.self, from: Data(contentsOf: folder["report \(number)"]))
            })
    }

    /// The work of a copy of this program: prints its report.
    static func run(_ path: String, _ words: String) throws {
        let words = words.split(separator: " ").map(String.init)
        guard words.count == 3, let work = Work(rawValue: words[0]), let number = Int(words[1]),
            let seconds = Int(words[2])
        else { throw Child.Failure(program: argument, status: 1) }
        let folder = URL(fileURLWithPath: path)
        let step = try work.open(folder, number)
        step()
        try Data().write(to: folder.appendingPathComponent("ready \(number)"))
        // All begin at the time in this file.
        var start: Int?
        while start == nil {
            usleep(1_000)
            start = (try? String(contentsOf: folder.appendingPathComponent("start"), encoding: .utf8)).flatMap {
                Int($0)
            }
        }
        guard let start else { return }
        while Child.now() < start { usleep(100) }
        var (report, before) = (Report(counts: Array(repeating: 0, count: seconds)), start)
        while true {
            step()
            let now = Child.now()
            report.longest = max(report.longest, now - before)
            let second = (now - start) / 1_000_000_000
            if second >= seconds { break }
            report.counts[second] += 1
            before = now
        }
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}

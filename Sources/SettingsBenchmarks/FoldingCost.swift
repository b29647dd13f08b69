import Foundation
import SettingsKit
import SettingsKitPlatform

/// Row 14: what the background writes and computes for changes of one setting, beside other settings in the same file.
///
/// Each is measured in a process of its own: the background of the other benchmarks' stores goes on for minutes.
enum FoldingCost {
    /// The argument that makes a copy of this program measure, before the pattern, and the number of keys and seconds.
    static let argument = "--folding-cost"

    /// How changes are made.
    enum Pattern: String, CaseIterable {
        case onceASecond = "once a second"
        /// As by a slider: sixty changes a second for three seconds, then two seconds without one.
        case bursts = "in bursts"
        /// As many as reach the share of the file at which the journal is folded, as fast as possible.
        case rush = "in a rush"
    }

    static let processorUnit = "% of a core"

    /// The bytes written for each byte of the changes' records, and the share of a core, in percent.
    static func measure(_ pattern: Pattern, keyCount: Int, seconds: Int) throws -> [Double?] {
        let folder = try TemporaryFolder()
        let output = folder["output"]
        try Child.run([Child.program, argument, pattern.rawValue, "\(keyCount) \(seconds)"], output: output.path)
        return try JSONDecoder().decode([Double?].self, from: Data(contentsOf: output))
    }

    /// The work of a copy of this program: prints both.
    static func run(_ pattern: String, _ numbers: String) throws {
        let numbers = numbers.split(separator: " ").compactMap { Int($0) }
        guard let pattern = Pattern(rawValue: pattern), numbers.count == 2 else {
            throw Child.Failure(program: argument, status: 1)
        }
        let (keyCount, seconds) = (numbers[0], numbers[1])
        let folder = try TemporaryFolder()
        let settings = SettingsService(defaults: try folder.propertyList(keyCount: keyCount))
        let setting = Setting<Int>("setting number 7", in: .defaults, default: 0)
        // What the first change takes is no part of the next.
        settings.set(setting, to: 1_000_000)
        try settings.bringUpToDate()
        let journal = folder.file.path + "-journal"
        let empty = try size(of: journal)
        settings.set(setting, to: 1_000_001)
        let record = try size(of: journal) - empty
        let (bytes, processor, start) = (writtenBytes(), ProcessorTime.ofProcess, ContinuousClock.now)
        var count = 0
        func set() {
            count += 1
            settings.set(setting, to: 1_000_001 + count)
        }
        switch pattern {
        case .onceASecond:
            for _ in 0..<seconds {
                set()
                usleep(1_000_000)
            }
        case .bursts:
            for _ in 0..<seconds / 5 {
                for _ in 0..<180 {
                    set()
                    usleep(16_667)
                }
                usleep(2_000_000)
            }
        case .rush:
            for _ in 0..<50_000 { set() }
            // Until it is in the file.
            let before = try size(of: journal)
            let end = ContinuousClock.now + .seconds(60)
            while try size(of: journal) >= before, .now < end { usleep(10_000) }
        }
        let elapsed = ContinuousClock.now - start
        let written = writtenBytes().flatMap { end in bytes.map { Double(end - $0) } }
        let cost = [
            written.map { $0 / Double(record * count) }, (ProcessorTime.ofProcess - processor) / elapsed * 100,
        ]
        print(String(decoding: try JSONEncoder().encode(cost), as: UTF8.self))
    }

    private static func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// The bytes that the process has passed to the system to write. Nil where the system does not count them.
    private static func writtenBytes() -> Int? {
        let counters = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = counters?.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }
}

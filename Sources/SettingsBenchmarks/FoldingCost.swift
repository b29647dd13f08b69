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

    static func bytesName(_ pattern: Pattern, _ keyCount: Int) -> String {
        "written per byte: \(pattern.rawValue), \(count(keyCount)) keys"
    }

    static func processorName(_ pattern: Pattern, _ keyCount: Int) -> String {
        "processor: \(pattern.rawValue), \(count(keyCount)) keys"
    }

    private static func count(_ keyCount: Int) -> String {
        keyCount < 1_000 ? "\(keyCount)" : "\(keyCount / 1_000),000"
    }

    static func figures(isQuick: Bool, isWanted: (Int, String) -> Bool) throws -> [Figure] {
        var figures: [Figure] = []
        for keyCount in [100, 100_000] {
            for pattern in Pattern.allCases {
                let (bytes, processor) = (bytesName(pattern, keyCount), processorName(pattern, keyCount))
                guard isWanted(14, bytes) || isWanted(14, processor) else { continue }
                let measured = try measureInProcess(pattern, keyCount: keyCount, seconds: isQuick ? 10 : 40)
                figures.append(Figure(row: 14, name: bytes, unit: "bytes", value: measured.bytes, limit: 20))
                if pattern == .rush { continue }
                figures.append(
                    Figure(row: 14, name: processor, unit: processorUnit, value: measured.processor, limit: 1))
            }
        }
        return figures
    }

    private typealias Cost = (bytes: Double?, processor: Double)

    private static func measureInProcess(_ pattern: Pattern, keyCount: Int, seconds: Int) throws -> Cost {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [argument, pattern.rawValue, "\(keyCount) \(seconds)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard process.terminationStatus == 0, words.count == 2, let processor = Double(words[1]) else {
            throw Failure(description: "Row 14 could not be measured \(pattern.rawValue): \(text)")
        }
        return (Double(words[0]), processor)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The work of a copy of this program: prints the bytes, or "-" where they are not counted, and the share of a core.
    static func run(_ pattern: Pattern, _ numbers: String) throws {
        let numbers = numbers.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw Failure(description: "Two numbers are missing.") }
        let cost = try measure(pattern, keyCount: numbers[0], seconds: numbers[1])
        print(cost.bytes.map { "\($0)" } ?? "-", cost.processor)
    }

    /// - Returns: the bytes written for each byte of the changes' records; the share of a core, in percent.
    private static func measure(
        _ pattern: Pattern, keyCount: Int, seconds: Int
    ) throws -> Cost {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try PropertyListStore(url: folder.file)
        try store.fill(keyCount)
        let settings = SettingsService(defaults: store)
        let setting = Setting<Int>("setting number 7", in: .defaults, default: 0)
        // What the first change takes is no part of the next.
        settings.set(setting, to: 1_000_000)
        try settings.synchronize()
        let journal = folder.file.path + "-journal"
        let empty = try size(of: journal)
        settings.set(setting, to: 1_000_001)
        let record = try size(of: journal) - empty
        let (bytes, processor, start) = (try writtenBytes(), ProcessorTime.ofProcess, ContinuousClock.now)
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
        let written = try writtenBytes().flatMap { end in bytes.map { Double(end - $0) } }
        return (
            written.map { $0 / Double(record * count) }, (ProcessorTime.ofProcess - processor) / elapsed * 100
        )
    }

    private static func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// The bytes that the process has passed to the system to write. Nil where the system does not count them.
    private static func writtenBytes() throws -> Int? {
        #if os(Linux)
            let counters = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
            let line = counters.split(separator: "\n").first { $0.hasPrefix("wchar:") }
            return line.flatMap { Int($0.filter(\.isNumber)) }
        #else
            return nil
        #endif
    }
}

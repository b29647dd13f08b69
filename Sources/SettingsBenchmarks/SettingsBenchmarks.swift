import Foundation

/// `settings-benchmarks`: measures the library's operations, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--rows NUMBERS] [--check BASELINE]

          --quick            fewer and shorter measurements, about a minute in all
          --json             prints JSON instead of a table; times in nanoseconds
          --rows NUMBERS     only some rows, such as 1,4,10
          --check BASELINE   exits with 1 if a ratio or a size is more than twice the one in the file, or only one of
                             both has it; such a row is measured twice more before
        """

    static func main() throws {
        if try Child.work() { return }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(usage)
            exit(CommandLine.arguments.contains("--help") ? 0 : 64)
        }
        if !Results.isReleaseBuild {
            complain("This is a debug build; its figures say nothing. Use swift run -c release.")
        }
        // Read first: what cannot be compared need not be measured.
        let baseline = try options.baseline.map(Results.read)
        var results = try measure(options.rows, isQuick: options.isQuick)
        var differences: [Results.Difference] = []
        if let baseline {
            differences = results.differences(from: baseline, rows: options.rows)
            // Another program may have disturbed a row.
            for _ in 0..<2 where !differences.isEmpty {
                for difference in differences { complain("measured again: \(difference)") }
                results.replace(by: try measure(Set(differences.map(\.row)), isQuick: options.isQuick))
                differences = results.differences(from: baseline, rows: options.rows)
            }
        }
        print(options.isJSON ? try results.json() : results.table)
        for difference in differences { complain("FAILED: \(difference)") }
        exit(differences.isEmpty ? 0 : 1)
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    private static func measure(_ rows: Set<Int>, isQuick: Bool) throws -> Results {
        let ratios: [(rows: Set<Int>, make: () throws -> [Benchmark])] = [
            ([1, 2, 3], Benchmark.reading), ([4, 5, 12], Benchmark.writing), ([6], Benchmark.opening),
            ([8], Benchmark.listeners), ([10], Benchmark.shared), ([11], Benchmark.sqlite),
            ([16, 17], Benchmark.durableWrites), ([18], Benchmark.settingThreads),
        ]
        let others: [(row: Int, measure: (_ isQuick: Bool) throws -> [Figure])] = [
            (7, Memory.figures), (9, Arrival.figures), (10, DiskUse.exported), (13, StartUp.figures),
            (19, Contention.figures), (20, PrintingWait.figures), (23, DiskUse.figures),
        ]
        var figures: [Figure] = []
        for group in ratios where !group.rows.isDisjoint(with: rows) {
            figures += try group.make().filter { rows.contains($0.row) }.map { $0.run(isQuick: isQuick) }
        }
        for group in others where rows.contains(group.row) { figures += try group.measure(isQuick) }
        return Results(figures)
    }
}

/// What the command line asks for.
private struct Options {
    var (isQuick, isJSON) = (false, false)
    /// The rows of the cost table. Callgrind counts row 22; see ``Instructions``.
    var rows = Set(1...13).union(16...20).union([23])
    var baseline: String?

    /// - Returns: nil for arguments that are not in the usage.
    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--quick": isQuick = true
            case "--json": isJSON = true
            case "--check":
                guard let path = arguments.next() else { return nil }
                baseline = path
            case "--rows":
                let numbers = arguments.next()?.split(separator: ",").map { Int($0) } ?? [nil]
                let wanted = Set(numbers.compactMap { $0 })
                guard wanted.count == numbers.count, wanted.isSubset(of: rows) else { return nil }
                rows = wanted
            default: return nil
            }
        }
    }
}

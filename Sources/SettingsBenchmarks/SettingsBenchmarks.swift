import Foundation

/// `settings-benchmarks`: measures the library's operations, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--filter TEXT] [--from RESULTS]
                   [--check BASELINE] [--publish FOLDER]
               swift run -c release settings-benchmarks --growth [--json] [--from RESULTS] [--publish FOLDER]
               swift run -c release settings-benchmarks --verify FOLDER

          --quick                fewer and shorter measurements, about three minutes in all
          --json                 prints JSON; times in nanoseconds
          --filter TEXT          only rows whose number is TEXT or whose name contains it
          --from RESULTS         measures nothing, and reads what --json has written
          --check BASELINE       exits with 1 if a ratio or a size is more than twice the one in the file, or only one of
                                 both has it. Such a row is measured twice more before
          --publish FOLDER       replaces the figures of a clone of the package: its baseline, article and README
          --growth               measures how times grow with keys, sizes, threads and processes, in about six minutes;
                                 --publish replaces their chart, their table and their figures
          --verify FOLDER        measures nothing; exits with 1 if articles or a sentence with a figure do not agree with
                                 the clone's baseline
        """

    static func main() throws {
        if try Child.work() { return }
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(usage)
            exit(CommandLine.arguments.contains("--help") ? 0 : 64)
        }
        if let folder = options.values["--verify"] {
            let problems = try Publication(folder: folder).problems()
            for problem in problems { complain(problem) }
            if problems.isEmpty { print("The tables and the sentences agree with the checked-in figures.") }
            exit(problems.isEmpty ? 0 : 1)
        }
        if !Machine.isRelease && options.values["--from"] == nil {
            complain("This is a debug build; its figures say nothing. Use swift run -c release.")
        }
        if options.flags.contains("--growth") { return try grow(options) }
        // Read first: what cannot be compared need not be measured.
        let baseline = try options.values["--check"].map(Results.read)
        var results = try options.values["--from"].map(Results.read) ?? measure(options)
        let differences = try baseline.map { try check(&results, $0, options) } ?? []
        print(options.flags.contains("--json") ? try results.json() : results.table)
        if let folder = options.values["--publish"] { try Publication(folder: folder).write(results) }
        for difference in differences { complain("FAILED: \(difference)") }
        exit(differences.isEmpty ? 0 : 1)
    }

    private static func grow(_ options: Options) throws {
        let growth = try options.values["--from"].map(Growth.read) ?? Growth.measure(progress: complain)
        print(options.flags.contains("--json") ? try growth.json() : growth.table)
        if let folder = options.values["--publish"] { try Publication(folder: folder).write(growth) }
    }

    /// Compares results with a baseline. What differs is measured again, at most twice, because another program may have
    /// disturbed it.
    private static func check(
        _ results: inout Results, _ baseline: Results, _ options: Options
    ) throws -> [Results.Difference] {
        let isComplete = options.values["--filter"] == nil
        var differences = results.differences(from: baseline, isComplete: isComplete)
        for _ in 0..<2 where options.values["--from"] == nil && !differences.isEmpty {
            for difference in differences { complain("measured again: \(difference)") }
            var again = options
            again.repeated = differences
            results.replace(by: try measure(again))
            differences = results.differences(from: baseline, isComplete: isComplete)
        }
        return differences
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    private static func measure(_ options: Options) throws -> Results {
        let groups: [(rows: Set<Int>, make: () throws -> [Benchmark])] = [
            ([1, 2, 3], Benchmark.inMemory), ([8], Benchmark.listeners), ([4, 5, 12], Benchmark.files),
            ([6], Benchmark.opening), ([6], Benchmark.layers), ([10], Benchmark.shared), ([11], Benchmark.sqlite),
            ([15], Benchmark.rivals), ([16, 17], Benchmark.durableWrites), ([18], Benchmark.settingThreads),
            ([21], Benchmark.newKeys),
        ]
        var figures: [Figure] = []
        for group in groups where options.isWanted(oneOf: group.rows) {
            figures += try group.make().filter { options.isWanted($0.row, $0.name) }
                .map { $0.run(rounds: options.isQuick ? 7 : 21, shareOfIterations: options.isQuick ? 0.2 : 1) }
        }
        figures += try Figure.sizes(options) + Contention.figures(options) + FoldingWait.figures(options)
        for keyCount in [20, 1_000] { figures += try StartUp.figures(keyCount: keyCount, options) }
        return Results(Machine.summary, figures)
    }
}

/// What the command line asks for.
struct Options {
    private(set) var flags: Set<String> = []
    private(set) var values: [String: String] = [:]
    /// What is measured again, instead of the filter.
    var repeated: [Results.Difference]?

    /// - Returns: nil for arguments that are not in the usage.
    init?(_ arguments: some Collection<String>) {
        var arguments = Array(arguments.reversed())
        while let argument = arguments.popLast() {
            switch argument {
            case "--quick", "--json", "--growth": flags.insert(argument)
            case "--filter", "--from", "--check", "--publish", "--verify":
                guard let value = arguments.popLast() else { return nil }
                values[argument] = value
            default: return nil
            }
        }
    }

    var isQuick: Bool { flags.contains("--quick") }

    func isWanted(_ row: Int, _ name: String) -> Bool {
        if let repeated { return repeated.contains { $0.figure.row == row && $0.figure.name.contains(name) } }
        return values["--filter"].map { name.contains($0) || "\(row)" == $0 } ?? true
    }

    /// Whether one of the rows may be wanted, so that their files must be made.
    func isWanted(oneOf rows: Set<Int>) -> Bool {
        if let repeated { return repeated.contains { rows.contains($0.figure.row) } }
        return values["--filter"].flatMap { Int($0) }.map(rows.contains) ?? true
    }
}

import Foundation

/// `settings-benchmarks`: measures the library's operations, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--filter TEXT] [--from RESULTS]
                   [--check BASELINE] [--write-baseline FILE] [--svg FILE] [--article FILE] [--publish FOLDER]
               swift run -c release settings-benchmarks --verify FOLDER

          --quick                fewer and shorter measurements, about three minutes in all
          --json                 prints JSON; times in nanoseconds
          --filter TEXT          only rows whose number is TEXT or whose name contains it
          --from RESULTS         measures nothing, and reads what --json or --write-baseline has written
          --check BASELINE       exits with 1 if a ratio or a size is more than twice the one in the file, or only one of
                                 both has it. Such a row is measured twice more before
          --write-baseline FILE  writes the results for --check
          --svg FILE             draws a chart, and another in dark colors: chart.svg and chart~dark.svg
          --article FILE         replaces the tables of figures in an article
          --publish FOLDER       all of that for a clone of the package: its baseline, chart, article and README
          --verify FOLDER        measures nothing; exits with 1 if chart, articles or a sentence with a figure do not agree
                                 with the clone's baseline
        """

    static func main() throws {
        if try runAsCopy() { return }
        var options = Options()
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            if argument == "--quick" {
                options.isQuick = true
            } else if argument == "--json" {
                options.isJSON = true
            } else if let path = Options.paths[argument], !arguments.isEmpty {
                options[keyPath: path] = arguments.removeFirst()
            } else {
                print(usage)
                exit(argument == "--help" ? 0 : 64)
            }
        }
        if let folder = options.verified { exit(try verify(Publication(folder: folder)) ? 0 : 1) }
        // Read first: what cannot be compared need not be measured.
        let baseline = try options.baseline.map(Results.read)
        var results = try options.results.map(Results.read) ?? measure(options)
        let differences = try baseline.map { try check(&results, $0, options) } ?? []
        print(options.isJSON ? try results.json() : Report.table(results))
        try publish(results, options)
        for difference in differences { complain("FAILED: \(difference)") }
        exit(differences.isEmpty ? 0 : 1)
    }

    /// Does the work of a process that another benchmark has started.
    private static func runAsCopy() throws -> Bool {
        guard CommandLine.arguments.count == 4 else { return false }
        let (argument, first, second) = (
            CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3]
        )
        if argument == Arrival.argument {
            try Arrival.giveSigns(first, count: Int(second) ?? 0)
            return true
        }
        if argument == FoldingCost.argument, let pattern = FoldingCost.Pattern(rawValue: first) {
            try FoldingCost.run(pattern, second)
            return true
        }
        guard argument == StartUp.argument, let mode = StartUp.Mode(rawValue: first) else { return false }
        try StartUp.run(mode, path: second)
        return true
    }

    struct Options {
        var isQuick = false
        var isJSON = false
        var filter: String?
        /// What is measured again, instead of the filter.
        var repeated: [Results.Difference]?
        var results: String?
        var baseline: String?
        var newBaseline: String?
        var chart: String?
        var article: String?
        var published: String?
        var verified: String?

        static let paths: [String: WritableKeyPath<Options, String?> & Sendable] = [
            "--filter": \.filter, "--from": \.results, "--check": \.baseline, "--write-baseline": \.newBaseline,
            "--svg": \.chart, "--article": \.article, "--publish": \.published, "--verify": \.verified,
        ]

        func isWanted(_ row: Int, _ name: String) -> Bool {
            if let repeated { return repeated.contains { $0.row == row && $0.name.contains(name) } }
            return filter.map { name.contains($0) || "\(row)" == $0 } ?? true
        }

        /// Whether one of the rows may be wanted, so that their files must be made.
        func isWanted(oneOf rows: Set<Int>) -> Bool {
            if let repeated { return repeated.contains { rows.contains($0.row) } }
            return filter.flatMap { Int($0) }.map(rows.contains) ?? true
        }
    }

    // MARK: Results

    /// Writes the results into files for the documentation.
    static func publish(_ results: Results, _ options: Options) throws {
        if let file = options.newBaseline { try results.json().write(toFile: file, atomically: true, encoding: .utf8) }
        if let chart = options.chart {
            for appearance in Chart.Appearance.allCases {
                let picture = Chart.svg(results.comparisons, appearance)
                try picture.write(toFile: Chart.path(chart, appearance), atomically: true, encoding: .utf8)
            }
        }
        if let article = options.article {
            let page = try String(contentsOfFile: article, encoding: .utf8)
            guard let page = Article.replacingFigures(in: page, with: results) else {
                throw Publication.NoTable(article: article)
            }
            try page.write(toFile: article, atomically: true, encoding: .utf8)
        }
        if let folder = options.published { try Publication(folder: folder).write(results) }
    }

    private static func verify(_ publication: Publication) throws -> Bool {
        let problems = try publication.problems()
        for problem in problems { complain(problem) }
        if problems.isEmpty { print("The chart, the tables and the sentences agree with the checked-in figures.") }
        return problems.isEmpty
    }

    /// Compares results with a baseline. What differs is measured again, at most twice, because another program may have
    /// disturbed it.
    private static func check(
        _ results: inout Results, _ baseline: Results, _ options: Options
    ) throws -> [Results.Difference] {
        let isComplete = options.filter == nil
        var differences = results.differences(from: baseline, isComplete: isComplete)
        for _ in 0..<2 where options.results == nil && !differences.isEmpty {
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

    // MARK: Measuring

    private static func measure(_ options: Options) throws -> Results {
        if !Machine.current.isRelease {
            complain("This is a debug build; its figures say nothing. Use swift run -c release.")
        }
        let groups: [(rows: Set<Int>, make: () throws -> [Benchmark])] = [
            ([1, 2, 3], Benchmark.inMemory), ([8], Benchmark.writing), ([4, 5, 6, 12], Benchmark.files),
            ([10], Benchmark.shared), ([11], Benchmark.sqlite), ([15], Benchmark.rivals),
        ]
        var outcomes: [Outcome] = []
        for group in groups where options.isWanted(oneOf: group.rows) {
            outcomes += try group.make().filter { options.isWanted($0.row, $0.name) }
                .map { $0.run(rounds: options.isQuick ? 7 : 21, shareOfIterations: options.isQuick ? 0.2 : 1) }
        }
        var figures = try Figure.all(isQuick: options.isQuick, isWanted: options.isWanted)
        for keyCount in [20, 1_000] {
            guard let startUp = try StartUp(keyCount: keyCount, options.isWanted) else { continue }
            let measured = try startUp.measure(starts: options.isQuick ? 15 : 50)
            outcomes += measured.outcomes
            figures += measured.figures
        }
        return Results(outcomes, figures)
    }
}

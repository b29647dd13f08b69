import Foundation

/// `settings-benchmarks`: measures the library's operations, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--filter TEXT]
                   [--from RESULTS] [--svg FILE] [--article FILE]

          --quick         fewer and shorter measurements, under two minutes in all
          --json          prints JSON; times in nanoseconds
          --filter TEXT   only rows whose number is TEXT or whose name contains it
          --from RESULTS  measures nothing, and reads what --json has printed
          --svg FILE      draws a chart, and another in dark colours: chart.svg and chart~dark.svg
          --article FILE  replaces the table of figures in an article
        """

    static func main() throws {
        if CommandLine.arguments.count == 4, CommandLine.arguments[1] == Arrival.argument {
            return try Arrival.giveSigns(CommandLine.arguments[2], count: Int(CommandLine.arguments[3]) ?? 0)
        }
        if CommandLine.arguments.count == 4, CommandLine.arguments[1] == StartUp.argument,
            let mode = StartUp.Mode(rawValue: CommandLine.arguments[2])
        {
            return try StartUp.run(mode, path: CommandLine.arguments[3])
        }
        var options = Options()
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": options.isQuick = true
            case "--json": options.isJSON = true
            case "--filter" where !arguments.isEmpty: options.filter = arguments.removeFirst()
            case "--from" where !arguments.isEmpty: options.results = arguments.removeFirst()
            case "--svg" where !arguments.isEmpty: options.chart = arguments.removeFirst()
            case "--article" where !arguments.isEmpty: options.article = arguments.removeFirst()
            default:
                print(usage)
                exit(argument == "--help" ? 0 : 64)
            }
        }
        let results = try options.results.map(Results.read) ?? measure(options)
        print(options.isJSON ? try results.json() : Report.table(results))
        try publish(results, chart: options.chart, article: options.article)
    }

    private struct Options {
        var isQuick = false
        var isJSON = false
        var filter: String?
        var results: String?
        var chart: String?
        var article: String?

        func isWanted(_ row: Int, _ name: String) -> Bool {
            filter.map { name.contains($0) || "\(row)" == $0 } ?? true
        }
    }

    private struct NoTable: Error, CustomStringConvertible {
        let article: String

        var description: String { "\(article) has no table of figures to replace." }
    }

    /// Writes the results into files for the documentation.
    static func publish(_ results: Results, chart: String?, article: String?) throws {
        if let chart {
            for appearance in Chart.Appearance.allCases {
                let picture = Chart.svg(results.comparisons, appearance)
                try picture.write(toFile: Chart.path(chart, appearance), atomically: true, encoding: .utf8)
            }
        }
        if let article {
            let page = try String(contentsOfFile: article, encoding: .utf8)
            guard let page = Article.replacingTable(in: page, with: results.comparisons) else {
                throw NoTable(article: article)
            }
            try page.write(toFile: article, atomically: true, encoding: .utf8)
        }
    }

    private static func measure(_ options: Options) throws -> Results {
        #if DEBUG
            FileHandle.standardError.write(
                Data("This is a debug build; its figures say nothing. Use swift run -c release.\n".utf8))
        #endif
        let fixture = try Fixture()
        let all =
            try Benchmark.reading(fixture) + Benchmark.handles(fixture) + Benchmark.threads(fixture)
            + Benchmark.writing() + Benchmark.files() + Benchmark.shared() + Benchmark.sqlite()
        var outcomes = all.filter { options.isWanted($0.row, $0.name) }
            .map { $0.run(rounds: options.isQuick ? 7 : 21, shareOfIterations: options.isQuick ? 0.2 : 1) }
        var figures = try Figure.all(isQuick: options.isQuick, isWanted: options.isWanted)
        for keyCount in [20, 1_000] where options.isWanted(13, StartUp.name) {
            let measured = try StartUp(keyCount: keyCount).measure(starts: options.isQuick ? 15 : 50)
            outcomes += measured.outcomes
            figures += measured.figures
        }
        return Results(outcomes, figures)
    }
}

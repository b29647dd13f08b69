import Foundation

/// `settings-benchmarks`: what the library's operations cost, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--filter TEXT]

          --quick        fewer and shorter measurements, under two minutes in all
          --json         for programs; times in nanoseconds
          --filter TEXT  only rows whose number is TEXT or whose name contains it
        """

    static func main() throws {
        var isQuick = false
        var isJSON = false
        var filter: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--json": isJSON = true
            case "--filter" where !arguments.isEmpty: filter = arguments.removeFirst()
            default:
                print(usage)
                exit(argument == "--help" ? 0 : 64)
            }
        }
        #if DEBUG
            FileHandle.standardError.write(
                Data("This is a debug build; its figures say nothing. Use swift run -c release.\n".utf8))
        #endif
        let fixture = try Fixture()
        let all =
            Benchmark.reading(fixture) + Benchmark.handles(fixture) + Benchmark.threads(fixture) + Benchmark.writing()
        let chosen = all.filter { benchmark in
            filter.map { benchmark.name.contains($0) || "\(benchmark.row)" == $0 } ?? true
        }
        let outcomes = chosen.map { $0.run(rounds: isQuick ? 7 : 21, shareOfIterations: isQuick ? 0.2 : 1) }
        print(isJSON ? try Report.json(outcomes) : Report.table(outcomes))
    }
}

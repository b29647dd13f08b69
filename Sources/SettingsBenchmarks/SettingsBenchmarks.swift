import Foundation

/// `settings-benchmarks`: measures the library's operations, each beside a yardstick from the same run.
@main
struct SettingsBenchmarks {
    private static let usage = """
        usage: swift run -c release settings-benchmarks [--quick] [--json] [--filter TEXT]

          --quick        fewer and shorter measurements, under two minutes in all
          --json         prints JSON; times in nanoseconds
          --filter TEXT  only rows whose number is TEXT or whose name contains it
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
        func isWanted(_ row: Int, _ name: String) -> Bool {
            filter.map { name.contains($0) || "\(row)" == $0 } ?? true
        }
        let fixture = try Fixture()
        let all =
            try Benchmark.reading(fixture) + Benchmark.handles(fixture) + Benchmark.threads(fixture)
            + Benchmark.writing() + Benchmark.files() + Benchmark.shared() + Benchmark.sqlite()
        var outcomes = all.filter { isWanted($0.row, $0.name) }
            .map { $0.run(rounds: isQuick ? 7 : 21, shareOfIterations: isQuick ? 0.2 : 1) }
        var figures = try Figure.all(isQuick: isQuick, isWanted: isWanted)
        for keyCount in [20, 1_000] where isWanted(13, StartUp.name) {
            let measured = try StartUp(keyCount: keyCount).measure(starts: isQuick ? 15 : 50)
            outcomes.append(measured.outcome)
            figures += measured.figures
        }
        print(isJSON ? try Report.json(outcomes, figures) : Report.table(outcomes, figures))
    }
}

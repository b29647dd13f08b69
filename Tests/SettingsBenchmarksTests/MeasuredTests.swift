import Foundation
import Testing

@testable import settings_benchmarks

/// The article *Measured*, and the results that it is made from.
@Suite struct MeasuredTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")

    static let json = """
        {"machine": {"processor": "Abacus", "cores": 2, "fileSystem": "clay", "system": "Sumer", "swift": "6.3",
                     "isRelease": true},
         "ratios": [
            {"row": 3, "operation": "two threads", "yardstick": "one thread", "ratioAtLeast": 1.6, "isReached": true,
             "ratio": {"minimum": 1.7, "median": 2, "maximum": 2.1},
             "operationNanoseconds": {"median": 4, "rare": 5.27}, "yardstickNanoseconds": {"median": 8, "rare": 9}},
            {"row": 1, "operation": "get", "yardstick": "Mutex<[String: Int]> look-up", "ratioAtMost": 0.4,
             "isReached": false, "ratio": {"minimum": 0.4, "median": 0.5, "maximum": 0.6},
             "operationNanoseconds": {"median": 4, "rare": 5270},
             "yardstickNanoseconds": {"median": 8, "rare": 9}},
            {"row": 15, "operation": "set of an Int beside others", "yardstick": "SQLite through C", "ratioAtMost": 1,
             "isReached": true, "ratio": {"minimum": 0.4, "median": 0.5, "maximum": 0.6},
             "operationNanoseconds": {"median": 9400, "rare": 21000},
             "yardstickNanoseconds": {"median": 19000, "rare": 4200000}}],
         "figures": [
            {"row": 9, "name": "seen", "unit": "µs", "value": 312.4, "valueAtMost": 1000, "isReached": true},
            {"row": 10, "name": "exported", "unit": "bytes", "value": 3481.6, "valueAtMost": 16384, "isReached": true},
            {"row": 13, "name": "system calls", "unit": "calls", "value": 200, "isReached": true},
            {"row": 7, "name": "memory", "unit": "bytes", "valueAtMost": 250, "isReached": false}]}
        """

    static func results() throws -> Results { try JSONDecoder().decode(Results.self, from: Data(json.utf8)) }

    @Test func aTableHasTheFiguresWithATargetInOrderAndThoseThatMissItInBold() throws {
        let table = Article.Table.figures.text(try Self.results())
        #expect(
            table == """
                | # | operation | yardstick | target | measured | median | 99 % |
                |---|---|---|---|---|---|---|
                | 1 | get | `Mutex<[String: Int]>` look-up | ≤ 0.4 | **0.50** | 4 ns | 5.3 µs |
                | 3 | two threads | one thread | ≥ 1.6 | 2.00 | 4 ns | 5.3 ns |
                | 7 | memory | – | ≤ 250 bytes | **not measured** | – | – |
                | 9 | seen | – | ≤ 1 ms | 0.31 ms | – | – |
                | 10 | exported | – | ≤ 16 KB | 3.4 KB | – | – |
                | 15 | set of an Int beside others | SQLite through C | ≤ 1 | 0.50 | 9.4 µs | 21 µs |
                """)
    }

    @Test func theTableOfRivalsHasThisLibraryFirstAndThePromisesOfEach() throws {
        #expect(
            Article.Table.rivals.text(try Self.results()).split(separator: "\n").dropFirst(2) == [
                "| change a number | `settings.set(.launchCount, to: number)` | 9.4 µs | 21 µs | – | safe | may be lost | see it at once |",
                "| – | SQLite through C | 19 µs | 4.2 ms | 0.50 | safe | may be lost | see it when they ask |",
            ])
        #expect(
            Article.Table.summary.text(try Self.results()).split(separator: "\n").dropFirst(2) == [
                "| change a number | 9.4 µs | – | – | – | 19 µs |"
            ])
    }

    @Test func resultsReadTheJSONThatTheyPrintOneRowALine() throws {
        let results = try Self.results()
        let text = try results.json()
        let again = try JSONDecoder().decode(Results.self, from: Data(text.utf8))
        #expect(again.comparisons == results.comparisons)
        #expect(again.machine == results.machine)
        #expect(again.figures.count == results.figures.count)
        #expect(text.split(separator: "\n").filter { $0.contains("\"row\":") }.count == 7)
    }

    @Test func onlyTheTablesOfAnArticleAndTheLineOfTheMachineAreReplaced() throws {
        let results = try Self.results()
        let other = Results(machine: .current, ratios: [], figures: [])
        func page(_ results: Results) -> String {
            let tables = Article.Table.allCases.map { $0.text(results) }.joined(separator: "\n\nText.\n\n")
            return
                "# Measured\n\nMeasured on \(results.machine.summary).\n\n| a | b |\n|---|---|\n\n\(tables)\n\n| # | b |\n"
        }
        #expect(Article.replacingFigures(in: page(other), with: results) == page(results))
        #expect(page(other) != page(results))
        #expect(Article.replacingFigures(in: "| # | b |\n", with: results) == nil)
    }

    @Test func publishingWritesBothChartsAndTheTables() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Measured-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let results = try Self.results()
        var options = SettingsBenchmarks.Options()
        let chart = folder.appendingPathComponent("chart.svg").path
        let article = folder.appendingPathComponent("Article.md").path
        let baseline = folder.appendingPathComponent("baseline.json").path
        try "\(Article.Table.figures.rawValue)\n\nThe end.\n".write(toFile: article, atomically: true, encoding: .utf8)
        (options.chart, options.article, options.newBaseline) = (chart, article, baseline)
        try SettingsBenchmarks.publish(results, options)
        #expect(try String(contentsOfFile: chart, encoding: .utf8) == Chart.svg(results.comparisons, .light))
        let dark = Chart.path(chart, .dark)
        #expect(try String(contentsOfFile: dark, encoding: .utf8) == Chart.svg(results.comparisons, .dark))
        let page = try String(contentsOfFile: article, encoding: .utf8)
        #expect(page == "\(Article.Table.figures.text(results))\n\nThe end.\n")
        #expect(try Results.read(from: baseline).comparisons == results.comparisons)
        // An article without a table is left unchanged, and reported.
        options = SettingsBenchmarks.Options()
        options.article = baseline
        #expect(throws: (any Error).self) { try SettingsBenchmarks.publish(results, options) }
        #expect(try Results.read(from: baseline).comparisons == results.comparisons)
    }

    @Test func theCheckedInChartTablesAndSentencesAgreeWithTheCheckedInFigures() throws {
        #expect(try Publication(folder: Self.root.path).problems() == [])
    }

    @Test func theCheckedInFiguresAreOfAReleaseBuildAndOfAllRows() throws {
        let results = try Results.read(from: Self.root.appendingPathComponent(Publication.baseline).path)
        #expect(results.machine.isRelease)
        #expect(Set(results.comparisons.map(\.row)) == Set(1...15))
        for operation in RivalOperation.allCases {
            #expect(results.ratios.filter { $0.operation == operation.rawValue }.count >= 3)
        }
    }

    @Test func theTermsOfTheChartFitTheirColumn() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent(Publication.chart), encoding: .utf8)
        let picture = try Picture(page)
        // At 13 points, a letter of the system's fonts is 6.5 points wide on average.
        let widest = Int(Double(Chart.labelEnd - 44) / 6.5)
        for text in picture.texts where !text.text.hasPrefix("compared with") {
            #expect(text.text.count <= widest, "\(text.text)")
        }
    }
}

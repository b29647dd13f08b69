import Foundation
import Testing

@testable import settings_benchmarks

/// The article *Measured*, and the results that it is made from.
@Suite struct MeasuredTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")

    static let json = """
        {"machine": "Abacus, 2 cores, clay, Sumer, Swift 6.3, release build",
         "figures": [
            {"row": 3, "name": "two threads", "value": 2, "atLeast": 1.6,
             "comparison": {"yardstick": "one thread", "minimum": 1.7, "maximum": 2.1,
             "times": {"median": 4, "rare": 5.27}, "yardstickTimes": {"median": 8, "rare": 9}}},
            {"row": 1, "name": "get", "value": 0.5, "atMost": 0.4,
             "comparison": {"yardstick": "Mutex<[String: Int]> look-up", "minimum": 0.4, "maximum": 0.6,
             "times": {"median": 4, "rare": 5270}, "yardstickTimes": {"median": 8, "rare": 9}}},
            {"row": 15, "name": "set of an Int beside others", "value": 0.5, "atMost": 1,
             "comparison": {"yardstick": "SQLite through C", "minimum": 0.4, "maximum": 0.6,
             "times": {"median": 9400, "rare": 21000}, "yardstickTimes": {"median": 19000, "rare": 4200000}}},
            {"row": 9, "name": "seen", "unit": "µs", "value": 312.4, "atMost": 1000},
            {"row": 10, "name": "exported", "unit": "bytes", "value": 3481.6, "atMost": 16384},
            {"row": 13, "name": "system calls", "unit": "calls", "value": 200},
            {"row": 19, "name": "slowest", "unit": "of its share", "value": 0.31, "atLeast": 0.5},
            {"row": 7, "name": "memory", "unit": "bytes", "atMost": 250}]}
        """

    static func results(_ json: String = json) throws -> Results {
        let read = try JSONDecoder().decode(Results.self, from: Data(json.utf8))
        return Results(read.machine, read.figures)
    }

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
                | 19 | slowest | – | ≥ 0.5 of its share | **0.31 of its share** | – | – |
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
        #expect(again.machine == results.machine)
        #expect(again.figures == results.figures)
        #expect(text.split(separator: "\n").filter { $0.contains("\"row\":") }.count == 8)
    }

    @Test func onlyTheTablesOfAnArticleAndTheLineOfTheMachineAreReplaced() throws {
        let results = try Self.results()
        let other = Results("Abacus", [])
        func page(_ results: Results) -> String {
            let tables = Article.Table.allCases.map { $0.text(results) }.joined(separator: "\n\nText.\n\n")
            return
                "# Measured\n\nMeasured on \(results.machine).\n\n| a | b |\n|---|---|\n\n\(tables)\n\n| # | b |\n"
        }
        #expect(Article.replacingFigures(in: page(other), with: results) == page(results))
        #expect(page(other) != page(results))
        #expect(Article.replacingFigures(in: "| # | b |\n", with: results) == nil)
    }

    @Test func aTerminalShowsAllFiguresBesideTheirTargets() throws {
        let lines = try Self.results().table.split(separator: "\n").dropFirst(2).map { line in
            line.split(separator: #/ {2,}/#).map(String.init)
        }
        #expect(
            lines.map { $0.prefix(2) } == [
                ["1", "get"], ["3", "two threads"], ["7", "memory"], ["9", "seen"], ["10", "exported"],
                ["13", "system calls"], ["15", "set of an Int beside others"], ["19", "slowest"],
            ])
        #expect(lines[0].suffix(3) == ["0.50 (0.40 – 0.60)", "≤ 0.4", "NOT REACHED"])
        #expect(lines[1].suffix(3) == ["2.00 (1.70 – 2.10)", "≥ 1.6", "reached"])
        #expect(lines[2].suffix(3) == ["not measured", "≤ 250 bytes", "NOT REACHED"])
        #expect(lines[5].suffix(1) == ["200 calls"])
        #expect(lines[7].suffix(3) == ["0.31 of its share", "≥ 0.5 of its share", "NOT REACHED"])
    }

    @Test func publishingWritesTheFiguresAndTheTables() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Measured-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let results = try Self.results()
        for file in Publication.articles + [Publication.baseline] {
            let file = folder.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try "\(Article.Table.figures.rawValue)\n\nThe end.\n".write(to: file, atomically: true, encoding: .utf8)
        }
        func text(_ file: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        }
        try Publication(folder: folder.path).write(results)
        for article in Publication.articles {
            #expect(try text(article) == "\(Article.Table.figures.text(results))\n\nThe end.\n")
        }
        #expect(try text(Publication.baseline) == results.json())
        // An article without a table is left unchanged, and reported.
        let article = folder.appendingPathComponent(Publication.articles[0])
        try "No table.\n".write(to: article, atomically: true, encoding: .utf8)
        #expect(throws: (any Error).self) { try Publication(folder: folder.path).write(Results("Abacus", [])) }
        #expect(try text(Publication.articles[0]) == "No table.\n")
        #expect(try text(Publication.baseline) == results.json())
    }

    @Test func theCheckedInTablesAndSentencesAgreeWithTheCheckedInFigures() throws {
        #expect(try Publication(folder: Self.root.path).problems() == [])
    }

    @Test func theCheckedInFiguresAreOfAReleaseBuildAndOfAllRows() throws {
        let results = try Results.read(from: Self.root.appendingPathComponent(Publication.baseline).path)
        #expect(results.machine.hasSuffix(", release build"))
        #expect(Set(results.figures.filter(\.hasTarget).map(\.row)) == Set(1...21))
        for operation in RivalOperation.allCases {
            #expect(results.figures.filter { $0.name == operation.rawValue }.count >= 3)
        }
    }
}

import Foundation
import Testing

@testable import settings_benchmarks

/// The article *Measured*, and the results that it is made from.
@Suite struct MeasuredTests {
    private static let catalogue = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../Sources/SettingsKit/SettingsKit.docc")

    private static let results = """
        {"ratios": [
            {"row": 3, "operation": "two threads", "yardstick": "one thread", "ratioAtLeast": 1.6, "isReached": true,
             "ratio": {"minimum": 1.7, "median": 2, "maximum": 2.1},
             "operationNanoseconds": {"minimum": 3, "median": 4, "maximum": 5},
             "yardstickNanoseconds": {"minimum": 7, "median": 8, "maximum": 9}},
            {"row": 1, "operation": "get", "yardstick": "Mutex<[String: Int]> look-up", "ratioAtMost": 0.4,
             "isReached": false, "ratio": {"minimum": 0.4, "median": 0.5, "maximum": 0.6},
             "operationNanoseconds": {"minimum": 3, "median": 4, "maximum": 5},
             "yardstickNanoseconds": {"minimum": 7, "median": 8, "maximum": 9}}],
         "figures": [
            {"row": 9, "name": "seen", "unit": "µs", "value": 312.4, "valueAtMost": 1000, "isReached": true},
            {"row": 10, "name": "exported", "unit": "bytes", "value": 3481.6, "valueAtMost": 16384, "isReached": true},
            {"row": 13, "name": "system calls", "unit": "", "value": 200, "isReached": true},
            {"row": 7, "name": "memory", "unit": "bytes", "valueAtMost": 250, "isReached": false}]}
        """

    private func comparisons() throws -> [Comparison] {
        try JSONDecoder().decode(Results.self, from: Data(Self.results.utf8)).comparisons
    }

    @Test func aTableHasTheFiguresWithATargetInOrderAndThoseThatMissItInBold() throws {
        let table = Article.table(try comparisons())
        #expect(
            table == """
                | # | operation | yardstick | target | measured |
                |---|---|---|---|---|
                | 1 | get | `Mutex<[String: Int]>` look-up | ≤ 0.4 | **0.50** |
                | 3 | two threads | one thread | ≥ 1.6 | 2.00 |
                | 7 | memory | – | ≤ 250 bytes | **not measured** |
                | 9 | seen | – | ≤ 1 ms | 0.31 ms |
                | 10 | exported | – | ≤ 16 KB | 3.4 KB |
                """)
    }

    @Test func resultsReadTheJSONThatTheyPrint() throws {
        let results = try JSONDecoder().decode(Results.self, from: Data(Self.results.utf8))
        let again = try JSONDecoder().decode(Results.self, from: Data(results.json().utf8))
        #expect(again.comparisons == results.comparisons)
        #expect(again.figures.count == results.figures.count)
    }

    @Test func onlyTheTableOfAnArticleIsReplaced() throws {
        let before = "# Measured\n\nText.\n\n| a | b |\n|---|---|\n\n"
        let after = "\n\n## Missed\n\n| # | b |\n"
        let old = Article.table(Array(try comparisons().prefix(2)))
        let new = Article.table(try comparisons())
        #expect(Article.replacingTable(in: before + old + after, with: try comparisons()) == before + new + after)
        #expect(Article.replacingTable(in: before + after, with: try comparisons()) == nil)
    }

    @Test func publishingWritesBothChartsAndTheTable() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Measured-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["results.json", "chart.svg", "chart~dark.svg", "Article.md"].map {
            folder.appendingPathComponent($0).path
        }
        try Self.results.write(toFile: files[0], atomically: true, encoding: .utf8)
        try "\(Article.table([]))\n\nThe end.\n".write(toFile: files[3], atomically: true, encoding: .utf8)
        let results = try Results.read(from: files[0])
        try SettingsBenchmarks.publish(results, chart: files[1], article: files[3])
        #expect(try String(contentsOfFile: files[1], encoding: .utf8) == Chart.svg(results.comparisons, .light))
        #expect(try String(contentsOfFile: files[2], encoding: .utf8) == Chart.svg(results.comparisons, .dark))
        let article = try String(contentsOfFile: files[3], encoding: .utf8)
        #expect(article == "\(Article.table(results.comparisons))\n\nThe end.\n")
        // An article without a table is left as it is, and reported.
        #expect(throws: (any Error).self) {
            try SettingsBenchmarks.publish(results, chart: nil, article: files[0])
        }
        #expect(try String(contentsOfFile: files[0], encoding: .utf8) == Self.results)
    }

    @Test(arguments: Chart.Appearance.allCases)
    func theCheckedInChartHasTheFiguresOfTheTable(_ appearance: Chart.Appearance) throws {
        let page = try String(contentsOf: Self.catalogue.appendingPathComponent("Measured.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").compactMap { line -> [String]? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, Int(cells[0]) != nil else { return nil }
            return [cells[1], cells[4].replacing("**", with: ""), cells[3]]
        }
        #expect(rows.count > 20)
        let chart = Chart.path(Self.catalogue.appendingPathComponent("Resources/measured.svg").path, appearance)
        let picture = try Picture(String(contentsOfFile: chart, encoding: .utf8))
        let places = picture.texts.filter { text in rows.contains { $0[0] == text.text } }.map(\.y)
        #expect(places.map { y in picture.texts.filter { $0.y == y }.map(\.text) } == rows)
    }

    @Test func theTermsOfTheChartFitTheirColumn() throws {
        let page = try String(
            contentsOf: Self.catalogue.appendingPathComponent("Resources/measured.svg"), encoding: .utf8)
        let picture = try Picture(page)
        // At 13 points, a letter of the system's fonts is 6.5 points wide on average.
        let widest = Int(Double(Chart.labelEnd - 44) / 6.5)
        for text in picture.texts where !text.text.hasPrefix("compared with") {
            #expect(text.text.count <= widest, "\(text.text)")
        }
    }
}

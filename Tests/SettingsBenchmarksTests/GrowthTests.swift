import Foundation
import Testing

@testable import settings_benchmarks

/// The chart of growth, and what is written beside it.
@Suite struct GrowthTests {
    /// `get` does not grow. `set` does from 100 bytes on, in proportion to them.
    private let growth = Growth(
        machine: "Abacus",
        lines: [
            Growth.Line(dimension: .bytes, operation: .get, sizes: [1, 100, 10_000], times: [10, 10, 10]),
            Growth.Line(dimension: .bytes, operation: .set, sizes: [1, 100, 10_000], times: [5_000, 5_000, 500_000]),
        ])

    @Test func theTableHasTheFirstTheMiddleAndTheLastFigureOfEachLine() {
        #expect(
            growth.table == """
                | grows | from, over, to | call | smallest | middle | largest |
                |---|---|---|---|---|---|
                | bytes | 1 · 100 · 10,000 | get | 10 ns | 10 ns | 10 ns |
                | bytes | 1 · 100 · 10,000 | set | 5 µs | 5 µs | 500 µs |
                """)
    }

    @Test func equalFactorsAreEqualDistancesInTheChart() throws {
        let points = GrowthChart(growth: growth, isDark: false).svg.matches(of: #/<polyline points="([^"]*)"/#).map {
            $0.1.split(separator: " ").map { $0.split(separator: ",").compactMap { Double($0) } }
        }
        try #require(points.map(\.count) == [3, 3])
        #expect(points[0][1][0] - points[0][0][0] == points[0][2][0] - points[0][1][0])
        #expect(Set(points[0].map { $0[1] }).count == 1)
        #expect(points[1][0][1] == points[1][1][1] && points[1][2][1] < points[1][1][1])
    }

    @Test func aDarkChartDiffersOnlyInItsColors() {
        func shapes(_ isDark: Bool) -> String {
            GrowthChart(growth: growth, isDark: isDark).svg.replacing(#/#[0-9a-f]{6}/#, with: "")
        }
        #expect(shapes(true) == shapes(false))
    }

    @Test(arguments: [(100, true), (1, false)])
    func aBendIsWhereTheSlopeChanges(_ size: Int, _ isBend: Bool) {
        let bend = GrowthBend(dimension: .bytes, operation: .set, size: size, before: -0.1...0.1, after: 0.9...1.1)
        #expect((bend.problem(in: growth) == nil) == isBend)
    }

    @Test func aBendWithoutFiguresIsAProblem() {
        let bend = GrowthBend(dimension: .keys, operation: .open, size: 100, before: -0.1...0.1, after: 0.9...1.1)
        #expect(bend.problem(in: growth) == "No figures show the bend of open, get at 100 keys.")
    }

    @Test func figuresThatAreReadAreThoseThatWereWritten() throws {
        #expect(try JSONDecoder().decode(Growth.self, from: Data(growth.json().utf8)) == growth)
    }
}

import Foundation

/// Prints outcomes, as a table or as JSON.
enum Report {
    static func table(_ outcomes: [Outcome], _ figures: [Figure]) -> String {
        var rows = [["#", "operation", "ns", "yardstick", "ns", "ratio (min – max)", "target", ""]]
        for outcome in outcomes {
            let benchmark = outcome.benchmark
            let target =
                switch benchmark.target {
                case .costAtMost(let limit): "≤ \(limit)"
                case .throughputAtLeast(let limit): "≥ \(limit)"
                }
            let ratio = outcome.ratio
            rows.append([
                "\(benchmark.row)", benchmark.name, decimal(outcome.operation.median), benchmark.yardstickName,
                decimal(outcome.yardstick.median),
                "\(decimal(ratio.median)) (\(decimal(ratio.minimum)) – \(decimal(ratio.maximum)))", target,
                outcome.isReached ? "reached" : "NOT REACHED",
            ])
        }
        for figure in figures {
            rows.append([
                "\(figure.row)", figure.name, "", "", "",
                figure.value.map { "\(decimal($0)) \(figure.unit)" } ?? "not counted",
                figure.limit.map { "≤ \(decimal($0))" } ?? "",
                figure.limit == nil ? "" : figure.isReached ? "reached" : "NOT REACHED",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    private static func decimal(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(number < 100 ? 2 : 0)).grouping(.never))
    }

    static func json(_ outcomes: [Outcome], _ figures: [Figure]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(
            decoding: try encoder.encode(Lines(ratios: outcomes.map(Line.init), figures: figures.map(Single.init))),
            as: UTF8.self)
    }

    private struct Lines: Encodable {
        let ratios: [Line]
        let figures: [Single]
    }

    private struct Single: Encodable {
        let row: Int
        let name: String
        let unit: String
        let value: Double?
        let valueAtMost: Double?
        let isReached: Bool

        init(_ figure: Figure) {
            (row, name, unit, value) = (figure.row, figure.name, figure.unit, figure.value)
            (valueAtMost, isReached) = (figure.limit, figure.isReached)
        }
    }

    private struct Line: Encodable {
        struct Spread: Encodable {
            let minimum: Double
            let median: Double
            let maximum: Double

            init(_ sample: Sample) {
                (minimum, median, maximum) = (sample.minimum, sample.median, sample.maximum)
            }
        }

        let row: Int
        let operation: String
        let yardstick: String
        let operationNanoseconds: Spread
        let yardstickNanoseconds: Spread
        let ratio: Spread
        let ratioAtMost: Double?
        let ratioAtLeast: Double?
        let isReached: Bool

        init(_ outcome: Outcome) {
            row = outcome.benchmark.row
            operation = outcome.benchmark.name
            yardstick = outcome.benchmark.yardstickName
            operationNanoseconds = Spread(outcome.operation)
            yardstickNanoseconds = Spread(outcome.yardstick)
            ratio = Spread(outcome.ratio)
            switch outcome.benchmark.target {
            case .costAtMost(let limit): (ratioAtMost, ratioAtLeast) = (limit, nil)
            case .throughputAtLeast(let limit): (ratioAtMost, ratioAtLeast) = (nil, limit)
            }
            isReached = outcome.isReached
        }
    }
}

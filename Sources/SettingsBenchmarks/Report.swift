import Foundation

/// Prints results as a table for a terminal.
enum Report {
    static func table(_ results: Results) -> String {
        var rows = [
            [
                "#", "operation", "median", "99 %", "yardstick", "median", "99 %", "ratio (min – max)", "target", "",
            ]
        ]
        for result in results.ratios {
            let target = result.ratioAtMost.map { "≤ \($0)" } ?? result.ratioAtLeast.map { "≥ \($0)" } ?? ""
            let ratio = result.ratio
            rows.append([
                "\(result.row)", result.operation, Comparison.time(result.operationNanoseconds.median),
                Comparison.time(result.operationNanoseconds.rare), result.yardstick,
                Comparison.time(result.yardstickNanoseconds.median), Comparison.time(result.yardstickNanoseconds.rare),
                "\(Comparison.ratio(ratio.median)) "
                    + "(\(Comparison.ratio(ratio.minimum)) – \(Comparison.ratio(ratio.maximum)))",
                target,
                result.isReached ? "reached" : "NOT REACHED",
            ])
        }
        for figure in results.figures {
            rows.append([
                "\(figure.row)", figure.name, "", "", "", "", "",
                figure.value.map { "\(decimal($0)) \(figure.unit)" } ?? "not counted",
                figure.valueAtMost.map { "≤ \(decimal($0))" } ?? "",
                figure.valueAtMost == nil ? "" : figure.isReached ? "reached" : "NOT REACHED",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        return ([results.machine.summary, ""] + lines).joined(separator: "\n")
    }

    private static func decimal(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(number < 100 ? 2 : 0)).grouping(.never))
    }
}

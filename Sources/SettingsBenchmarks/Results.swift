import Foundation

/// What a run has measured, as `--json` prints it and `--from` reads it.
struct Results: Codable {
    /// Where it was measured.
    var machine: String
    /// In the order of the cost table.
    var figures: [Figure]

    init(_ machine: String, _ figures: [Figure]) {
        self.machine = machine
        self.figures = figures.enumerated().sorted { ($0.element.row, $0.offset) < ($1.element.row, $1.offset) }
            .map(\.element)
    }

    static func read(from path: String) throws -> Results {
        try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func json() throws -> String { try Machine.json(machine, "figures", figures) }

    /// A table for a terminal.
    var table: String {
        let head = ["#", "operation", "median", "99 %", "yardstick", "median", "99 %", "measured", "target", ""]
        let rows =
            [head]
            + figures.map { figure -> [String] in
                let verdict = figure.isReached ? "reached" : figure.hasTarget ? "NOT REACHED" : ""
                let (comparison, none) = (figure.comparison, ["", ""])
                let spread = comparison.map { " (\(Figure.ratio($0.minimum)) – \(Figure.ratio($0.maximum)))" } ?? ""
                return ["\(figure.row)", figure.name] + (comparison?.times.cells ?? none) + [
                    comparison?.yardstick ?? ""
                ]
                    + (comparison?.yardstickTimes.cells ?? none) + [figure.measured + spread, figure.target, verdict]
            }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        return ([machine, ""] + lines).joined(separator: "\n")
    }
}

// MARK: Comparing with checked-in figures

extension Results {
    /// A figure that differs from the checked-in one, and how.
    struct Difference: CustomStringConvertible {
        let figure: Figure
        let reason: String

        var description: String { "row \(figure.row), \(figure.name): \(reason)" }
    }

    /// The figures that are more than twice those that are checked in, and those that only one of both has.
    ///
    /// - Parameter isComplete: Whether all rows have been measured.
    func differences(from baseline: Results, isComplete: Bool) -> [Difference] {
        let differences = figures.compactMap { figure -> Difference? in
            guard let before = baseline.figures.first(where: figure.isSame) else {
                return Difference(figure: figure, reason: "it is not among the checked-in figures.")
            }
            guard let value = figure.value, let then = before.value, !before.allowed.contains(value) else { return nil }
            let excess = value > before.allowed.upperBound ? "more than twice" : "less than half of"
            let prefix = figure.comparison.map { "compared with \($0.yardstick), " } ?? ""
            return Difference(
                figure: figure,
                reason: "\(prefix)\(Figure.ratio(value)), \(excess) the checked-in \(Figure.ratio(then)).")
        }
        guard isComplete else { return differences }
        return differences
            + baseline.figures.filter { figure in !figures.contains(where: figure.isSame) }
            .map { Difference(figure: $0, reason: "it is checked in, and not measured.") }
    }

    /// Takes those figures of another run that this one has, too.
    mutating func replace(by other: Results) {
        figures = figures.map { figure in other.figures.first(where: figure.isSame) ?? figure }
    }
}

extension Figure {
    fileprivate func isSame(as other: Figure) -> Bool {
        name == other.name && comparison?.yardstick == other.comparison?.yardstick
    }

    /// What a later run may measure, on this machine or on another one: at most twice the value, or at least half of a
    /// throughput. Times are not compared.
    fileprivate var allowed: ClosedRange<Double> {
        guard let value, unit != "µs" else { return -.infinity ... .infinity }
        if atLeast != nil { return value / 2 ... .infinity }
        // The bare processes' share depends on the system.
        if unit == Contention.shareUnit { return -.infinity ... .infinity }
        // Another machine's disk may be much faster, and its processor slower, but not beyond the target.
        let isOfDisk =
            name == RivalOperation.set.rawValue
            && comparison.flatMap { Rival(rawValue: $0.yardstick) }?.waitsForDisk == true
        let isOfMachine = isOfDisk || unit == FoldingCost.processorUnit
        return -.infinity...max(2 * value, isOfMachine ? atMost ?? 0 : 0)
    }
}

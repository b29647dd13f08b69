/// Compares a run with the figures that are checked in.
///
/// Ratios are compared, and sizes; times are not, because another machine has others.
extension Results {
    /// A figure that differs from the checked-in one, and how.
    struct Difference: CustomStringConvertible {
        let row: Int
        let name: String
        let reason: String

        var description: String { "row \(row), \(name): \(reason)" }
    }

    private struct Compared {
        let row: Int
        let operation: String
        let yardstick: String?
        /// Nil if this machine cannot count it.
        let value: Double?
        /// Nil if only its being measured counts.
        let most: Double?
        let least: Double?

        var name: String { comparedWith + operation }
        var comparedWith: String { yardstick.map { "compared with \($0), " } ?? "" }
    }

    /// With the bounds that a later run must keep: twice the value, or half of a throughput.
    private var compared: [Compared] {
        ratios.map { ratio in
            let value = ratio.ratio.median
            // Another machine has another disk, which may be much faster, but not beyond the target.
            let isOfDisk =
                ratio.operation == RivalOperation.set.rawValue && Rival(rawValue: ratio.yardstick)?.waitsForDisk == true
            let most = isOfDisk ? max(2 * value, ratio.ratioAtMost ?? 0) : 2 * value
            return Compared(
                row: ratio.row, operation: ratio.operation, yardstick: ratio.yardstick, value: value,
                most: ratio.ratioAtLeast == nil ? most : nil, least: ratio.ratioAtLeast == nil ? nil : value / 2)
        }
            + figures.map { figure in
                let most: Double? =
                    switch figure.unit {
                    case "bytes", "calls": figure.value.map { 2 * $0 }
                    // Of another processor, which may be slower, but not beyond the target.
                    case FoldingCost.processorUnit: figure.value.map { max(2 * $0, figure.valueAtMost ?? 0) }
                    default: nil
                    }
                return Compared(
                    row: figure.row, operation: figure.name, yardstick: nil, value: figure.value, most: most, least: nil
                )
            }
    }

    /// The figures that are more than twice those that are checked in, and those that only one of both has.
    ///
    /// - Parameter isComplete: Whether all rows have been measured.
    func differences(from baseline: Results, isComplete: Bool) -> [Difference] {
        let measured = compared
        var expected: [String: Compared] = [:]
        for figure in baseline.compared { expected[figure.name] = figure }
        var differences = measured.compactMap { figure -> Difference? in
            guard let bounds = expected[figure.name] else {
                return Difference(
                    row: figure.row, name: figure.operation, reason: "it is not among the checked-in figures.")
            }
            guard let value = figure.value, let before = bounds.value else { return nil }
            let (now, then) = (Comparison.ratio(value), Comparison.ratio(before))
            if let most = bounds.most, value > most {
                return Difference(
                    row: figure.row, name: figure.operation,
                    reason: "\(figure.comparedWith)\(now), more than twice the checked-in \(then).")
            }
            if let least = bounds.least, value < least {
                return Difference(
                    row: figure.row, name: figure.operation,
                    reason: "\(figure.comparedWith)\(now), less than half of the checked-in \(then).")
            }
            return nil
        }
        if isComplete {
            let names = Set(measured.map(\.name))
            for figure in baseline.compared where !names.contains(figure.name) {
                differences.append(
                    Difference(row: figure.row, name: figure.operation, reason: "it is checked in, and not measured."))
            }
        }
        return differences
    }

    /// Takes those figures of another run that this one has, too.
    mutating func replace(by other: Results) {
        for ratio in other.ratios {
            let place = ratios.firstIndex { $0.operation == ratio.operation && $0.yardstick == ratio.yardstick }
            if let place { ratios[place] = ratio }
        }
        for figure in other.figures {
            if let place = figures.firstIndex(where: { $0.name == figure.name }) { figures[place] = figure }
        }
    }
}

import Foundation

/// A measured figure beside its target, as text for a person.
struct Comparison: Equatable {
    /// The row of the cost table.
    let row: Int
    let operation: String
    /// nil if the figure is a size or a time.
    let yardstick: String?
    let target: String
    let measured: String
    /// The nanoseconds of one call. Nil if the figure is a size or a time.
    var times: Results.Times?
    /// 1 is the target, and less is better. nil if it could not be measured.
    let shareOfTarget: Double?

    var isReached: Bool { shareOfTarget.map { $0 <= 1 } ?? false }
}

extension Results {
    /// The figures that have a target, in the order of the cost table.
    var comparisons: [Comparison] {
        let ratios = ratios.compactMap { result -> Comparison? in
            let median = result.ratio.median
            let target: (sign: String, limit: Double, share: Double)
            if let limit = result.ratioAtMost {
                target = ("≤", limit, median / limit)
            } else if let limit = result.ratioAtLeast {
                target = ("≥", limit, limit / median)
            } else {
                return nil
            }
            return Comparison(
                row: result.row, operation: result.operation, yardstick: result.yardstick,
                target: "\(target.sign) \(Comparison.text(target.limit))", measured: Comparison.ratio(median),
                times: result.operationNanoseconds, shareOfTarget: target.share)
        }
        let sizes = figures.compactMap { figure -> Comparison? in
            guard let limit = figure.valueAtMost else { return nil }
            return Comparison(
                row: figure.row, operation: figure.name, yardstick: nil,
                target: "≤ \(Comparison.text(limit, unit: figure.unit))",
                measured: figure.value.map { Comparison.text($0, unit: figure.unit) } ?? "not measured",
                shareOfTarget: figure.value.map { $0 / limit })
        }
        return (ratios + sizes).enumerated()
            .sorted { ($0.element.row, $0.offset) < ($1.element.row, $1.offset) }.map(\.element)
    }
}

extension Comparison {
    /// Bytes as kilobytes and microseconds as milliseconds, where that is shorter.
    fileprivate static func text(_ value: Double, unit: String) -> String {
        switch unit {
        case "bytes" where value >= 1_024: "\(text(value / 1_024)) KB"
        case "µs" where value >= 100: "\(text(value / 1_000)) ms"
        default: "\(text(value)) \(unit)"
        }
    }

    /// Nanoseconds in the unit in which they are between 1 and 1,000.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<999.5: "\(text(nanoseconds, digits: 2)) ns"
        case ..<999_500: "\(text(nanoseconds / 1e3, digits: 2)) µs"
        default: "\(text(nanoseconds / 1e6, digits: 2)) ms"
        }
    }

    /// With two places after the decimal point; of small ratios, with two digits that are not zero.
    static func ratio(_ ratio: Double) -> String {
        ratio > 0 && ratio < 0.1 ? text(ratio, digits: 2) : formatted(ratio, .fractionLength(2))
    }

    /// With at most two places after the decimal point.
    static func text(_ number: Double) -> String {
        formatted(number, .fractionLength(0...(number < 10 ? 2 : 0)))
    }

    /// With so many digits; all of those before the decimal point.
    private static func text(_ number: Double, digits: Int) -> String {
        abs(number) < 100 ? formatted(number, .significantDigits(1...digits)) : formatted(number, .fractionLength(0))
    }

    private static func formatted(
        _ number: Double, _ precision: NumberFormatStyleConfiguration.Precision
    ) -> String {
        number.formatted(
            .number.precision(precision).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
    }
}

import Foundation

/// A measured figure: a ratio to a yardstick, or a size, a time or a share.
struct Figure: Codable, Equatable {
    /// The row of the cost table.
    var row: Int
    var name: String
    /// Nil of a ratio.
    var unit: String?
    /// Of a ratio, the median. Nil if it could not be measured.
    var value: Double?
    /// The target; at least, of throughputs and shares. Both are nil if there is none.
    var atMost, atLeast: Double?
    /// Nil of a size, a time or a share.
    var comparison: Comparison?

    /// What a ratio was calculated from.
    struct Comparison: Codable, Equatable {
        var yardstick: String
        /// Of the ratio.
        var minimum, maximum: Double
        var times, yardstickTimes: Times
    }

    /// The nanoseconds of one call.
    struct Times: Codable, Equatable {
        var median: Double
        /// Of a hundred calls, 99 take no longer. For calls that take less than the clock can tell: of a hundred runs of
        /// about five microseconds.
        var rare: Double

        init(_ calls: [Double]) { (median, rare) = (calls.median.rounded, calls.rare.rounded) }

        var cells: [String] { [Figure.time(median), Figure.time(rare)] }
    }

    /// A size, a time or a share.
    init(
        _ row: Int, _ name: String, _ unit: String, _ value: Double?, atMost: Double? = nil, atLeast: Double? = nil
    ) {
        (self.row, self.name, self.unit, self.value) = (row, name, unit, value?.rounded)
        (self.atMost, self.atLeast) = (atMost, atLeast)
    }

    /// A ratio: the median of those of each pair. The machine's speed drifts, but hardly within a pair.
    ///
    /// - Parameter calls: Single calls, if the pairs are the averages of several.
    init(
        _ row: Int, _ name: String, atMost: Double? = nil, atLeast: Double? = nil, _ yardstick: String, _ own: [Double],
        _ other: [Double], calls: [Double]? = nil, yardstickCalls: [Double]? = nil
    ) {
        let ratios = zip(own, other).map { atLeast == nil ? $0 / $1 : $1 / $0 }.sorted()
        (self.row, self.name, self.atMost, self.atLeast) = (row, name, atMost, atLeast)
        value = ratios.median.rounded
        comparison = Comparison(
            yardstick: yardstick, minimum: ratios[0].rounded, maximum: ratios[ratios.count - 1].rounded,
            times: Times(calls ?? own), yardstickTimes: Times(yardstickCalls ?? other))
    }

    var hasTarget: Bool { atMost != nil || atLeast != nil }

    /// 1 is the target, and less is better. Nil if there is none, or the figure could not be measured.
    var shareOfTarget: Double? {
        value.flatMap { value in atMost.map { value / $0 } ?? atLeast.map { $0 / value } }
    }

    var isReached: Bool { shareOfTarget.map { $0 <= 1 } ?? false }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
    /// The 99th percentile.
    var rare: Double { percentile(99) }

    func percentile(_ percent: Double) -> Double { sorted()[Int(Double(count) * percent / 100)] }
}

extension Double {
    /// With four significant digits: more are noise.
    var rounded: Double {
        guard self != 0, isFinite else { return self }
        let unit = pow(10, (log10(abs(self)).rounded(.down) - 3))
        // A division by a power of ten that is a whole number gives the nearest double, which is printed shortly.
        return unit < 1 ? (self / unit).rounded() / (1 / unit).rounded() : (self / unit).rounded() * unit
    }
}

/// As text for a person.
extension Figure {
    /// The target, or an empty text.
    var target: String { atMost.map { "≤ \(text($0))" } ?? atLeast.map { "≥ \(text($0))" } ?? "" }

    var measured: String {
        value.map { unit == nil ? Figure.ratio($0) : text($0) } ?? "not measured"
    }

    /// Bytes as kilobytes and microseconds as milliseconds, where that is shorter.
    private func text(_ value: Double) -> String {
        switch unit {
        case nil: Figure.text(value)
        case "bytes" where value >= 1_024: "\(Figure.text(value / 1_024)) KB"
        case "µs" where value >= 100: "\(Figure.text(value / 1_000)) ms"
        case let unit?: "\(Figure.text(value)) \(unit)"
        }
    }

    /// Nanoseconds in the unit in which they are between 1 and 1,000.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<999.5: "\(text(nanoseconds, digits: 2)) ns"
        case ..<999_500: "\(text(nanoseconds / 1e3, digits: 2)) µs"
        case ..<999_500_000: "\(text(nanoseconds / 1e6, digits: 2)) ms"
        default: "\(text(nanoseconds / 1e9, digits: 2)) s"
        }
    }

    /// With two places after the decimal point; of small ratios, with two digits that are not zero.
    static func ratio(_ ratio: Double) -> String {
        ratio > 0 && ratio < 0.1 ? text(ratio, digits: 2) : formatted(ratio, .fractionLength(2))
    }

    /// With at most two places after the decimal point.
    private static func text(_ number: Double) -> String {
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

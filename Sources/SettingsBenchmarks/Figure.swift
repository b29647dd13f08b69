import Foundation

/// A measured figure: a ratio to a yardstick, or a size, a time or a share.
struct Figure: Codable {
    /// What a figure may not exceed, or of throughputs and shares, must reach.
    enum Target {
        case atMost(Double)
        case atLeast(Double)
    }

    /// The row of the cost table.
    var row: Int
    var name: String
    var yardstick: String?
    /// The nanoseconds of one call, of the operation and of its yardstick: medians.
    var time, yardstickTime: Double?
    /// Nil of a ratio.
    var unit: String?
    /// Of a ratio, the median. Nil if the system cannot measure it.
    var value: Double?
    var atMost, atLeast: Double?

    private init(_ row: Int, _ name: String, _ target: Target, _ value: Double?) {
        (self.row, self.name, self.value) = (row, name, value?.rounded)
        switch target {
        case .atMost(let most): atMost = most
        case .atLeast(let least): atLeast = least
        }
    }

    /// A size, a time or a share.
    init(_ row: Int, _ name: String, _ target: Target, _ unit: String, _ value: Double?) {
        self.init(row, name, target, value)
        self.unit = unit
    }

    /// A ratio: the median of those of each pair. The machine's speed drifts, but hardly within a pair.
    init(_ row: Int, _ name: String, _ target: Target, _ yardstick: String, _ own: [Double], _ other: [Double]) {
        let isThroughput = if case .atLeast = target { true } else { false }
        self.init(row, name, target, zip(own, other).map { isThroughput ? $1 / $0 : $0 / $1 }.median)
        (self.yardstick, time, yardstickTime) = (yardstick, own.median.rounded, other.median.rounded)
    }

    var isReached: Bool {
        guard let value else { return false }
        return value <= atMost ?? .infinity && value >= atLeast ?? 0
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}

extension Double {
    /// With four significant digits: more are noise.
    fileprivate var rounded: Double { Double(String(format: "%.4g", self)) ?? self }

    fileprivate var text: String { self < 100 ? String(format: "%.3g", self) : String(format: "%.0f", self) }
}

/// As text for a person.
extension Figure {
    var target: String {
        atMost.map { "≤ \(text($0))" } ?? atLeast.map { "≥ \(text($0))" } ?? ""
    }

    var measured: String { value.map(text) ?? "not measured" }

    private func text(_ value: Double) -> String { value.text + (unit.map { " \($0)" } ?? "") }

    /// Nanoseconds in the unit in which they are between 1 and 1,000.
    static func text(ofTime nanoseconds: Double?) -> String {
        guard let nanoseconds else { return "" }
        return switch nanoseconds {
        case ..<999.5: "\(nanoseconds.text) ns"
        case ..<999_500: "\((nanoseconds / 1e3).text) µs"
        case ..<999_500_000: "\((nanoseconds / 1e6).text) ms"
        default: "\((nanoseconds / 1e9).text) s"
        }
    }
}

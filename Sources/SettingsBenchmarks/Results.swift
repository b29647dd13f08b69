import Foundation

/// What a run has measured, as `--json` prints it and `--from` reads it.
struct Results: Codable {
    /// Costs or throughputs, compared with a yardstick.
    var ratios: [Ratio]
    /// Sizes and times without a yardstick.
    var figures: [Size]

    struct Spread: Codable {
        let minimum: Double
        let median: Double
        let maximum: Double
    }

    struct Ratio: Codable {
        let row: Int
        let operation: String
        let yardstick: String
        let operationNanoseconds: Spread
        let yardstickNanoseconds: Spread
        let ratio: Spread
        let ratioAtMost: Double?
        let ratioAtLeast: Double?
        let isReached: Bool
    }

    struct Size: Codable {
        let row: Int
        let name: String
        let unit: String
        let value: Double?
        let valueAtMost: Double?
        let isReached: Bool
    }
}

extension Results {
    init(_ outcomes: [Outcome], _ figures: [Figure]) {
        self.init(ratios: outcomes.map(Ratio.init), figures: figures.map(Size.init))
    }

    static func read(from path: String) throws -> Results {
        try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension Results.Spread {
    fileprivate init(_ sample: Sample) {
        self.init(minimum: sample.minimum, median: sample.median, maximum: sample.maximum)
    }
}

extension Results.Ratio {
    fileprivate init(_ outcome: Outcome) {
        let (atMost, atLeast): (Double?, Double?) =
            switch outcome.benchmark.target {
            case .costAtMost(let limit): (limit, nil)
            case .throughputAtLeast(let limit): (nil, limit)
            }
        self.init(
            row: outcome.benchmark.row, operation: outcome.benchmark.name, yardstick: outcome.benchmark.yardstickName,
            operationNanoseconds: .init(outcome.operation), yardstickNanoseconds: .init(outcome.yardstick),
            ratio: .init(outcome.ratio), ratioAtMost: atMost, ratioAtLeast: atLeast, isReached: outcome.isReached)
    }
}

extension Results.Size {
    fileprivate init(_ figure: Figure) {
        self.init(
            row: figure.row, name: figure.name, unit: figure.unit, value: figure.value, valueAtMost: figure.limit,
            isReached: figure.isReached)
    }
}

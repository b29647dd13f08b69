import Foundation

/// What a run has measured, as `--json` prints it and `--from` reads it.
struct Results: Codable {
    /// Where it was measured.
    var machine: Machine
    /// Costs or throughputs, compared with a yardstick.
    var ratios: [Ratio]
    /// Sizes and times without a yardstick.
    var figures: [Size]

    struct Spread: Codable {
        let minimum: Double
        let median: Double
        let maximum: Double
    }

    /// The nanoseconds of one call.
    struct Times: Codable, Equatable {
        let median: Double
        /// Of a hundred calls, 99 take no longer. For calls that take less than the clock can tell: of a hundred runs of
        /// about five microseconds.
        let rare: Double
    }

    struct Ratio: Codable {
        let row: Int
        let operation: String
        let yardstick: String
        let operationNanoseconds: Times
        let yardstickNanoseconds: Times
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
        self.init(machine: .current, ratios: outcomes.map(Ratio.init), figures: figures.map(Size.init))
    }

    static func read(from path: String) throws -> Results {
        try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// One result a line, so that a change of one is a change of one line.
    func json() throws -> String {
        """
        {
        "machine": \(try Self.line(machine)),
        "ratios": [
        \(try ratios.map(Self.line).joined(separator: ",\n"))
        ],
        "figures": [
        \(try figures.map(Self.line).joined(separator: ",\n"))
        ]
        }

        """
    }

    private static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension Double {
    /// With four significant digits: more are noise.
    fileprivate var rounded: Double {
        guard self != 0, isFinite else { return self }
        let unit = pow(10, (log10(abs(self)).rounded(.down) - 3))
        // A division by a power of ten that is a whole number gives the nearest double, which is printed shortly.
        return unit < 1 ? (self / unit).rounded() / (1 / unit).rounded() : (self / unit).rounded() * unit
    }
}

extension Results.Spread {
    fileprivate init(_ sample: Sample) {
        self.init(minimum: sample.minimum.rounded, median: sample.median.rounded, maximum: sample.maximum.rounded)
    }
}

extension Results.Times {
    fileprivate init(_ sample: Sample) {
        self.init(median: sample.median.rounded, rare: sample.rare.rounded)
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
            row: figure.row, name: figure.name, unit: figure.unit, value: figure.value?.rounded,
            valueAtMost: figure.limit, isReached: figure.isReached)
    }
}

/// What an operation is compared with.
struct Yardstick {
    let name: String
    let loop: Loop

    init(_ name: String, _ loop: @escaping Loop) { (self.name, self.loop) = (name, loop) }
}

/// A measurement: an operation, the yardstick that it is compared with, and the target for their ratio.
struct Benchmark {
    /// The row of the cost table.
    let row: Int
    let name: String
    let target: Figure.Target
    let yardstick: Yardstick
    /// The repetitions of the operation in one measurement of a full run.
    let iterations: Int
    let operation: Loop

    init(
        _ row: Int, _ name: String, _ target: Figure.Target, _ yardstick: Yardstick, iterations: Int = 50_000,
        _ operation: @escaping Loop
    ) {
        (self.row, self.name, self.target) = (row, name, target)
        (self.yardstick, self.iterations, self.operation) = (yardstick, iterations, operation)
    }

    /// Measures operation and yardstick in turn, after a warm-up that does not count.
    func run(isQuick: Bool) -> Figure {
        let count = max(1, isQuick ? iterations / 5 : iterations)
        var (own, other): ([Double], [Double]) = ([], [])
        _ = yardstick.loop(max(1, count / 5))
        _ = operation(max(1, count / 5))
        for round in 0..<(isQuick ? 5 : 21) {
            // Each is first every other time.
            if round.isMultiple(of: 2) {
                other.append(yardstick.loop(count))
                own.append(operation(count))
            } else {
                own.append(operation(count))
                other.append(yardstick.loop(count))
            }
        }
        return Figure(row, name, target, yardstick.name, own, other)
    }
}

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
    /// The operation may cost at most this multiple of the yardstick.
    let atMost: Double?
    /// The operation must reach at least this multiple of the yardstick's throughput.
    let atLeast: Double?
    let yardstick: Yardstick
    /// The repetitions of the operation in one measurement of a full run.
    let iterations: Int
    let operation: Loop

    init(
        _ row: Int, _ name: String, atMost: Double? = nil, atLeast: Double? = nil, _ yardstick: Yardstick,
        iterations: Int = 50_000, _ operation: @escaping Loop
    ) {
        (self.row, self.name, self.atMost, self.atLeast) = (row, name, atMost, atLeast)
        (self.yardstick, self.iterations, self.operation) = (yardstick, iterations, operation)
    }

    /// Measures operation and yardstick in turn, after a warm-up that does not count.
    func run(rounds: Int, shareOfIterations share: Double) -> Figure {
        let count = max(1, Int(Double(iterations) * share))
        var (own, other): ([Double], [Double]) = ([], [])
        _ = yardstick.loop(max(1, count / 5))
        _ = operation(max(1, count / 5))
        for round in 0..<rounds {
            // Each is first every other time.
            if round.isMultiple(of: 2) {
                other.append(yardstick.loop(count))
                own.append(operation(count))
            } else {
                own.append(operation(count))
                other.append(yardstick.loop(count))
            }
        }
        return Figure(
            row, name, atMost: atMost, atLeast: atLeast, yardstick.name, own, other,
            calls: calls(of: operation, own, share: share),
            yardstickCalls: calls(of: yardstick.loop, other, share: share))
    }

    /// Times single calls of what took so many nanoseconds in each round; of what takes less than five microseconds, runs
    /// of about as long, so that reading the clock is no part of the time.
    private func calls(of loop: Loop, _ rounds: [Double], share: Double) -> [Double] {
        // Threads are started for each run, which would be timed, too.
        guard atLeast == nil else { return rounds }
        let run = max(1, Int(5_000 / max(rounds.median, 0.1)))
        let end = ContinuousClock.now + .seconds(share)
        var times: [Double] = []
        while times.count < 2_000 && ContinuousClock.now < end { times.append(loop(run)) }
        return times.count < 100 ? rounds + times : times
    }
}

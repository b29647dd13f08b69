/// A measurement: an operation, the yardstick that it is compared with, and the target for their ratio.
struct Benchmark {
    enum Target {
        /// The operation may cost at most this multiple of the yardstick.
        case costAtMost(Double)
        /// The operation must reach at least this multiple of the yardstick's throughput.
        case throughputAtLeast(Double)
    }

    /// The row of the cost table.
    let row: Int
    let name: String
    let yardstickName: String
    let target: Target
    /// The repetitions of the operation in one measurement of a full run.
    let iterations: Int
    /// Repeats the operation, and returns the nanoseconds of one repetition.
    let operation: (Int) -> Double
    /// Repeats the yardstick, and returns the nanoseconds of one repetition.
    let yardstick: (Int) -> Double
}

/// The result of a benchmark.
struct Outcome {
    let benchmark: Benchmark
    /// The nanoseconds of single calls, and where a call takes less than the clock can tell, of short runs.
    let operation: Sample
    let yardstick: Sample
    /// Operation to yardstick, pair by pair: the machine's speed drifts, but hardly within a pair.
    let ratio: Sample

    var isReached: Bool {
        switch benchmark.target {
        case .costAtMost(let limit): ratio.median <= limit
        case .throughputAtLeast(let limit): ratio.median >= limit
        }
    }
}

/// Several measurements of one quantity.
struct Sample {
    private let sorted: [Double]

    init(_ measurements: [Double]) {
        sorted = measurements.sorted()
    }

    var minimum: Double { sorted[0] }
    var median: Double { sorted[sorted.count / 2] }
    var maximum: Double { sorted[sorted.count - 1] }
    /// The 99th percentile.
    var rare: Double { sorted[sorted.count * 99 / 100] }
}

extension Benchmark {
    /// Measures operation and yardstick in turn, after a warm-up that does not count.
    func run(rounds: Int, shareOfIterations share: Double) -> Outcome {
        let count = max(1, Int(Double(iterations) * share))
        _ = yardstick(max(1, count / 5))
        _ = operation(max(1, count / 5))
        var pairs: [(operation: Double, yardstick: Double)] = []
        for round in 0..<rounds {
            // Each is first every other time.
            if round.isMultiple(of: 2) {
                let yardstick = yardstick(count)
                pairs.append((operation(count), yardstick))
            } else {
                let operation = operation(count)
                pairs.append((operation, yardstick(count)))
            }
        }
        return outcome(
            pairs, calls: calls(of: operation, pairs.map(\.operation), share: share),
            yardstickCalls: calls(of: yardstick, pairs.map(\.yardstick), share: share))
    }

    /// - Parameters:
    ///   - pairs: The nanoseconds of each round.
    ///   - calls: The nanoseconds of single calls of the operation.
    func outcome(
        _ pairs: [(operation: Double, yardstick: Double)], calls: Sample, yardstickCalls: Sample
    ) -> Outcome {
        let ratio =
            switch target {
            case .costAtMost: pairs.map { $0.operation / $0.yardstick }
            case .throughputAtLeast: pairs.map { $0.yardstick / $0.operation }
            }
        return Outcome(benchmark: self, operation: calls, yardstick: yardstickCalls, ratio: Sample(ratio))
    }

    /// Times single calls of what took so many nanoseconds in each round; of what takes less than five microseconds, runs
    /// of about as long, so that reading the clock is no part of the time.
    private func calls(of body: (Int) -> Double, _ rounds: [Double], share: Double) -> Sample {
        // Threads are started for each run, which would be timed, too.
        guard case .costAtMost = target else { return Sample(rounds) }
        let run = max(1, Int(5_000 / max(Sample(rounds).median, 0.1)))
        let end = ContinuousClock.now + .seconds(share)
        var times: [Double] = []
        while times.count < 2_000 && ContinuousClock.now < end { times.append(body(run)) }
        return Sample(times.count < 100 ? rounds + times : times)
    }
}

/// The nanoseconds of each of `count` repetitions.
@inline(__always)
func nanosecondsEach(_ count: Int, _ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    let (seconds, attoseconds) = duration.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
}

/// Stops the program where a step of a measurement fails.
func orStop<T>(_ body: () throws -> T) -> T {
    do {
        return try body()
    } catch {
        fatalError("\(error)")
    }
}

/// Uses a value, so that the optimizer cannot omit its computation.
@inline(never)
func use<T>(_ value: T) {}

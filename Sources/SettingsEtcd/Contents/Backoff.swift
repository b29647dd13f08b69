/// The pauses before retries: about twice as long each time, up to a limit, and randomized, so that many machines do not return
/// at the same moment.
struct Backoff: Sendable {
    let first: Duration
    let limit: Duration
    /// The number of failures in a row.
    private(set) var failures = 0

    init(first: Duration, limit: Duration) { (self.first, self.limit) = (first, limit) }

    mutating func succeed() { failures = 0 }

    /// Records a failure.
    ///
    /// - Returns: The pause: a random part, at least half, of the time for this number of failures.
    mutating func fail(_ generator: inout some RandomNumberGenerator) -> Duration {
        let whole = min(limit, first * (1 << min(failures, 30)))
        failures += 1
        return whole * Double.random(in: 0.5...1, using: &generator)
    }

    mutating func fail() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return fail(&generator)
    }
}

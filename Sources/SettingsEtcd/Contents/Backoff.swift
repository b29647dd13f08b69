/// How long to wait before something is tried again: about twice as long each time, up to a limit, and never twice the same, so
/// that many machines do not come back at one moment.
struct Backoff: Sendable {
    let first: Duration
    let limit: Duration
    /// How often it has failed in a row.
    private(set) var failures = 0

    init(first: Duration, limit: Duration) { (self.first, self.limit) = (first, limit) }

    mutating func succeed() { failures = 0 }

    /// Notes a failure.
    ///
    /// - Returns: The pause: between a half of and the whole time for this number of failures.
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

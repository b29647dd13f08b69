/// How many entries of a prefix are asked for at once. Pure.
struct PageSize {
    private(set) var entries = 2_000

    /// Smaller pages than that are not faster.
    private static let smallest = 50

    /// Notes that a page was longer than an answer may be, because values are large.
    ///
    /// - Returns: Whether a smaller one can be asked for.
    mutating func noteTooLong() -> Bool {
        defer { entries = max(1, entries / 16) }
        return entries > 1
    }

    /// Notes that a page did not arrive in time.
    ///
    /// - Returns: Whether a smaller one can be asked for.
    mutating func noteTimeOut() -> Bool {
        defer { entries = max(min(entries, Self.smallest), entries / 4) }
        return entries > Self.smallest
    }

    /// Notes how long a page took, of which the next one is to take a half.
    mutating func note(_ time: Duration, limit: Duration) {
        if time > limit / 2 { entries = max(min(entries, Self.smallest), entries / 2) }
    }
}

/// The number of entries in a request for a part of a prefix. Pure.
struct PageSize {
    private(set) var entries = EtcdLimits.pageEntries

    /// Shrinks the pages after one that exceeded the size of an answer, because its values are large.
    ///
    /// - Returns: Whether a smaller page is possible.
    mutating func shrinkAfterLimit() -> Bool {
        defer { entries = max(1, entries / 16) }
        return entries > 1
    }

    /// Shrinks the pages after one that did not arrive in time.
    ///
    /// - Returns: Whether a smaller page is possible.
    mutating func shrinkAfterTimeOut() -> Bool {
        defer { entries = max(min(entries, EtcdLimits.smallestPage), entries / 4) }
        return entries > EtcdLimits.smallestPage
    }

    /// Shrinks the pages if one took more than half of the permitted time.
    mutating func adapt(to time: Duration, limit: Duration) {
        if time > limit / 2 { entries = max(min(entries, EtcdLimits.smallestPage), entries / 2) }
    }
}

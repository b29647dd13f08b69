/// The times up to which entries are accepted although they are ahead of a replica's clock, by epoch.
///
/// A replica *vouches* for the entries in its state: if one is ahead of its clock, because the clock was set back, the replica
/// adds the entry's time, and keeps it until the time has passed. The times are in its file. When a replica reads the directory,
/// it joins its own times and those of all files by maximum, and so accepts all entries that any replica has. It keeps only the
/// times that it vouches for itself: a file's times count as long as the file exists.
///
/// The time of an epoch also counts for all earlier ones. So a time is left out if a later epoch has a later one.
struct AcceptedTimes: Hashable, Sendable {
    /// Milliseconds since 1970, by epoch; the later the epoch, the earlier the time. An entry within that millisecond is
    /// accepted with any counter.
    private(set) var times: [UInt32: Int64]
    /// The number of latest epochs with separate times. The times of earlier epochs count for the first of these.
    ///
    /// Which epochs these are depends only on the latest one, so times can be joined in any order.
    private let limit: Int

    init(_ times: [UInt32: Int64] = [:], limit: Int = DirectoryLimits.acceptedEpochs) {
        self.limit = limit
        self.times = Self.reduced(times, to: limit)
    }

    var isEmpty: Bool { times.isEmpty }

    /// Whether a replica whose machine's clock shows `now` uses an entry with this moment.
    func accepts(_ moment: HybridMoment, now: Int64) -> Bool {
        let time = moment.instant.milliseconds
        return !HybridClock.isAhead(time, of: now) || times.contains { moment.epoch <= $0.key && time <= $0.value }
    }

    /// Joins the times of a file that have not passed.
    ///
    /// - Parameter last: The latest credible epoch. Later ones are damage.
    mutating func join(_ other: AcceptedTimes, now: Int64, last: UInt32) {
        let valid = other.times.filter { $0.value > now && $0.key <= last }
        if !valid.isEmpty { raise(valid) }
    }

    /// Vouches for the latest instant that the replica holds in each epoch, if it is ahead of the clock.
    mutating func vouch(for latest: [UInt32: Instant], now: Int64) {
        let ahead = latest.filter { HybridClock.isAhead($0.value, of: now) }
        if !ahead.isEmpty { raise(ahead.mapValues(\.milliseconds)) }
    }

    /// Removes times that have passed. Every correct clock accepts the entries up to them.
    mutating func removePassed(now: Int64) {
        times = times.filter { $0.value > now }
    }

    private mutating func raise(_ others: [UInt32: Int64]) {
        times = Self.reduced(times.merging(others, uniquingKeysWith: max), to: limit)
    }

    private static func reduced(_ times: [UInt32: Int64], to limit: Int) -> [UInt32: Int64] {
        guard times.count > 1, let last = times.keys.max() else { return times }
        let first = last - min(last, UInt32(limit) - 1)
        var reduced: [UInt32: Int64] = [:]
        var latest = Int64.min
        for (epoch, time) in times.sorted(by: { $0.key > $1.key }) where reduced.isEmpty || time > latest {
            reduced[max(epoch, first)] = time
            latest = time
        }
        return reduced
    }
}

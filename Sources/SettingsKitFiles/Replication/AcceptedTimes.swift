/// The times up to which replicas accept entries that are ahead of their clocks, by epoch.
///
/// A replica *vouches* for what it holds: if its state has an entry that is ahead of its clock, because the clock was
/// set back, it adds the entry's time. The times are in its file, and each replica joins those of all others by
/// maximum. So all replicas accept what any replica holds. A time only grows until it has passed, so no decision
/// depends on which file was read when.
struct AcceptedTimes: Hashable, Sendable {
    /// Milliseconds since 1970, by epoch. An entry within that millisecond is accepted with any counter.
    private(set) var times: [UInt32: Int64] = [:]

    init(_ times: [UInt32: Int64] = [:]) { self.times = times }

    /// More epochs than have times in the future at once. What other replicas accept beyond them is not taken over.
    static let limit = 64

    var isEmpty: Bool { times.isEmpty }

    /// Whether a replica whose machine's clock shows `now` uses an entry with this moment.
    func accepts(_ moment: HybridMoment, now: Int64) -> Bool {
        let time = moment.instant.milliseconds
        return !HybridClock.isAhead(time, of: now) || times[moment.epoch].map { time <= $0 } ?? false
    }

    /// Joins the times of another replica that have not passed.
    ///
    /// - Parameter last: The latest credible epoch. Later ones are damage.
    mutating func join(_ other: AcceptedTimes, now: Int64, last: UInt32) {
        for (epoch, time) in other.times where time > now && epoch <= last {
            guard times[epoch] != nil || times.count < Self.limit else { continue }
            raise(epoch, to: time)
        }
    }

    /// Vouches for the latest instant that the replica holds in each epoch, if it is ahead of the clock.
    mutating func vouch(for latest: [UInt32: Instant], now: Int64) {
        for (epoch, instant) in latest where HybridClock.isAhead(instant, of: now) {
            raise(epoch, to: instant.milliseconds)
        }
    }

    /// Removes times that have passed. Every correct clock accepts the entries up to them.
    mutating func removePassed(now: Int64) {
        times = times.filter { $0.value > now }
    }

    private mutating func raise(_ epoch: UInt32, to time: Int64) {
        times[epoch] = max(times[epoch] ?? time, time)
    }
}

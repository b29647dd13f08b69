/// Up to which times replicas accept entries that are ahead of their clocks, for each epoch.
///
/// A replica *vouches* for what it holds: when its clock turns out to have been ahead, or when it has accepted an entry
/// before its clock was set back, it adds the entry's time. The times are in its file, and each replica joins those of all
/// others by maximum. So what any replica holds all others accept, and no decision depends on what some file or clock says
/// at one moment.
struct AcceptedTimes: Hashable, Sendable {
    /// Milliseconds since 1970, by epoch. An entry within the last millisecond is accepted, whatever its counter.
    private(set) var times: [UInt32: Int64] = [:]

    init(_ times: [UInt32: Int64] = [:]) { self.times = times }

    /// More epochs than have times in the future at once. What other replicas accept beyond them is not taken over.
    static let limit = 64

    var isEmpty: Bool { times.isEmpty }

    /// Whether an entry of this moment is used now, by a replica whose machine shows `now`.
    func accepts(_ moment: HybridMoment, now: Int64) -> Bool {
        let time = moment.instant.milliseconds
        return !HybridClock.isAhead(time, of: now) || times[moment.epoch].map { time <= $0 } ?? false
    }

    /// Takes over the times of another replica that have not passed.
    ///
    /// - Parameter last: The latest epoch that is no damage.
    mutating func join(_ other: AcceptedTimes, now: Int64, last: UInt32) {
        for (epoch, time) in other.times where time > now && epoch <= last {
            guard times[epoch] != nil || times.count < Self.limit else { continue }
            raise(epoch, to: time)
        }
    }

    /// Vouches for the latest instant that the replica holds in each epoch, where it is ahead of its clock.
    mutating func vouch(for latest: [UInt32: Instant], now: Int64) {
        for (epoch, instant) in latest where HybridClock.isAhead(instant, of: now) {
            raise(epoch, to: instant.milliseconds)
        }
    }

    /// Forgets the times that have passed: every clock that is right accepts them.
    mutating func removePassed(now: Int64) {
        times = times.filter { $0.value > now }
    }

    private mutating func raise(_ epoch: UInt32, to time: Int64) {
        times[epoch] = max(times[epoch] ?? time, time)
    }
}

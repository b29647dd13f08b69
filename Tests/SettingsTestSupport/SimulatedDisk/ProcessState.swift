#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The state of a simulated process, without its open files.
struct ProcessState: Sendable {
    /// The outcome of a call.
    enum Verdict {
        case proceeds(Portion)
        case fails(Int32)
        case dies
        case diesAfterwards(Portion)
    }

    /// The share of the requested bytes that a read or write moves.
    enum Portion {
        case whole, short, half

        func of(_ count: Int) -> Int {
            switch self {
            case .whole: count
            case .short: min(count, 7)
            case .half: count / 2
            }
        }
    }

    var isDead = false
    /// The calls since the last ``SimulatedProcess/set(_:)``.
    private(set) var count = 0
    private var fault = SimulatedProcess.Fault.none

    mutating func set(_ fault: SimulatedProcess.Fault) {
        self.fault = fault
        count = 0
    }

    /// Counts a call and decides its outcome.
    mutating func verdict(isWrite: Bool) -> Verdict {
        let index = count
        count += 1
        if isDead { return .fails(EIO) }
        switch fault {
        case .once(index, let number): return .fails(number)
        case .from(let first, let number) where index >= first: return .fails(number)
        case .short: return .proceeds(.short)
        case .death(index): return .dies
        case .deathAfter(index): return .diesAfterwards(.whole)
        case .partialDeath(index): return isWrite ? .diesAfterwards(.half) : .dies
        default: return .proceeds(.whole)
        }
    }
}

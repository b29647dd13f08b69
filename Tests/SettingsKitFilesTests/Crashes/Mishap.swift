import Foundation
import Testing

/// What goes wrong with one call of a process.
enum Mishap: Sendable, Equatable {
    /// The process dies before the call, in the middle of it, or after it.
    case deathBefore, deathWithin, deathAfter
    /// The process dies before the call, and the power fails.
    case powerFailure(seed: UInt64)
    /// The call fails, once.
    case failure(Int32)

    /// Dying after a call leaves what dying before the next call leaves.
    static let deaths: [Self] = Rounds.choose(
        [.deathBefore, .deathWithin], full: [.deathBefore, .deathWithin, .deathAfter])
    static let powerFailures = Rounds.choose([1], full: [1, 2, 3] as [UInt64]).map { Self.powerFailure(seed: $0) }
    static let failures = Rounds.choose([EIO, ENOSPC], full: [EIO, ENOSPC, EACCES, EROFS, EMFILE]).map {
        Self.failure($0)
    }
    static let all = deaths + powerFailures + failures

    var isPowerFailure: Bool { if case .powerFailure = self { true } else { false } }
    var isFailure: Bool { if case .failure = self { true } else { false } }

    private func fault(at number: Int) -> SimulatedProcess.Fault {
        switch self {
        case .deathBefore, .powerFailure: .death(number)
        case .deathWithin: .partialDeath(number)
        case .deathAfter: .deathAfter(number)
        case .failure(let errno): .once(number, errno: errno)
        }
    }

    /// Has a process meet this at each of its calls in turn, each time on another disk, until it has no more calls.
    ///
    /// - Parameters:
    ///   - pace: Of so many calls, one goes wrong.
    ///   - begin: Makes the disk, and starts the process.
    ///   - work: What the process does until something fails.
    ///   - check: Checks what is left.
    /// - Returns: how often it was met.
    @discardableResult
    func atEveryCall<World>(
        pace: Int = 1, on begin: () throws -> (disk: SimulatedDisk, world: World),
        work: (inout World, SimulatedProcess, Comment) throws -> Void,
        check: (World, Comment) throws -> Void
    ) throws -> Int {
        for number in stride(from: 0, to: .max, by: pace) {
            let start = try begin()
            let disk = start.disk
            var world = start.world
            let process = disk.process()
            process.set(fault(at: number))
            let comment: Comment = "\(self), call \(number)"
            // Where it stopped is what is of interest.
            do { try work(&world, process, comment) } catch {}
            let isMet = process.isDead || isFailure && process.callCount > number
            if case .powerFailure(let seed) = self { disk.powerFailure(seed: seed &* 1_000 &+ UInt64(number)) }
            process.set(.none)
            try check(world, comment)
            if !isMet { return number / pace }
        }
        return 0
    }
}

import Foundation
import SettingsKitCore

// @unchecked: one thread at a time runs, from when it receives the baton until it passes it on. The semaphores order what the
// threads do, so that the variables need no lock.
/// Runs threads of which exactly one runs at a time. They change only at points, of which ``Choices`` picks the next thread.
///
/// Points are in the closures of a user and in the functions of a store. There, the engine holds no lock, so a thread that runs
/// never waits for one that does not. A point that is reached while a lock is held (in a store of two functions) is passed.
final class Scheduler: @unchecked Sendable {
    /// A thread.
    final class Fiber: @unchecked Sendable {
        let number: Int
        fileprivate let baton = DispatchSemaphore(value: 0)
        fileprivate var hasEnded = false
        /// The number of operations that the thread is in, one inside the other.
        var depth = 0
        /// Whether another thread was in an operation during this one.
        var wasBusy = false

        init(_ number: Int) { self.number = number }
    }

    @TaskLocal static var current: Fiber?

    private var choices: Choices
    private(set) var fibers: [Fiber] = []
    private let ended = DispatchSemaphore(value: 0)

    init(_ choices: Choices) { self.choices = choices }

    /// Runs each body on a thread of its own.
    ///
    /// - Returns: The choices that were made; nil if a thread waits for something that no thread does.
    func run(_ bodies: [@Sendable () -> Void]) -> Choices? {
        fibers = bodies.indices.map(Fiber.init)
        for (fiber, body) in zip(fibers, bodies) {
            Thread.detachNewThread { [self] in
                fiber.baton.wait()
                Self.$current.withValue(fiber) { body() }
                fiber.hasEnded = true
                passOn(from: nil)
            }
        }
        passOn(from: nil)
        return ended.wait(timeout: .now() + 120) == .success ? choices : nil
    }

    /// Lets another thread run, or none. Does nothing on a thread of another origin, or while a lock is held.
    func point() {
        guard let fiber = Self.current, !isLockHeld else { return }
        passOn(from: fiber)
    }

    private var isLockHeld: Bool {
        #if DEBUG
            HeldLocks.areHeld
        #else
            true
        #endif
    }

    private func passOn(from fiber: Fiber?) {
        var others = fibers.filter { !$0.hasEnded && $0 !== fiber }
        if let fiber { others.insert(fiber, at: 0) }
        if others.isEmpty {
            ended.signal()
            return
        }
        let next = others[choices.next(of: others.count, mayStay: fiber != nil)]
        if next === fiber { return }
        next.baton.signal()
        fiber?.baton.wait()
    }
}

/// Picks the next thread at each point: by a seed, or as the next one of all orders.
struct Choices {
    /// The choices made, with the number of possible ones; made again from the beginning.
    private var path: [(choice: Int, count: Int)] = []
    private var position = 0
    /// How often a thread may be interrupted; nil to choose by the generator.
    private let limit: Int?
    private var interruptions = 0
    private var generator: SeededGenerator
    private let rate: Int

    /// Chooses by a seed.
    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        rate = [2, 3, 6, 12][Int(seed % 4)]
        limit = nil
    }

    /// Makes every choice in turn, with a number of interruptions; call ``advance()`` after each run.
    init(interruptions limit: Int) {
        generator = SeededGenerator(seed: 0)
        (self.limit, rate) = (limit, 1)
    }

    /// - Parameter mayStay: Whether the first is the thread that has run.
    mutating func next(of count: Int, mayStay: Bool) -> Int {
        guard let limit else {
            if !mayStay { return Int.random(in: 0..<count, using: &generator) }
            if count == 1 || Int.random(in: 0..<rate, using: &generator) > 0 { return 0 }
            return Int.random(in: 1..<count, using: &generator)
        }
        let possible = mayStay && interruptions == limit ? 1 : count
        if position == path.count { path.append((0, possible)) }
        let choice = path[position].choice
        position += 1
        if mayStay && choice > 0 { interruptions += 1 }
        return choice
    }

    /// Moves on to the next order.
    ///
    /// - Returns: False if there is none.
    mutating func advance() -> Bool {
        (position, interruptions) = (0, 0)
        while let last = path.popLast() {
            if last.choice + 1 < last.count {
                path.append((last.choice + 1, last.count))
                return true
            }
        }
        return false
    }
}

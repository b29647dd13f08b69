import Foundation
import Synchronization

/// Repeats something so many times, and returns the nanoseconds of one repetition.
typealias Loop = (Int) -> Double

// Inlined with their closures, so that a loop is the one that a program would write: a call of a closure takes about as long as
// a `get`.

/// The nanoseconds of each of `count` repetitions of something that a program does for its effect. Stops the program if one fails.
@inline(__always)
func repeating(_ count: Int, _ body: () throws -> Void) -> Double {
    let start = ContinuousClock.now
    orStop { for _ in 0..<count { try body() } }
    return (ContinuousClock.now - start) / .nanoseconds(count)
}

/// The nanoseconds of each of `count` repetitions of something that a program does for its result.
@inline(__always)
func summing(_ count: Int, _ body: () -> Int) -> Double {
    let start = ContinuousClock.now
    sum(count, body)
    return (ContinuousClock.now - start) / .nanoseconds(count)
}

@inline(__always)
func sum(_ count: Int, _ body: () -> Int) {
    var sum = 0
    for _ in 0..<count { sum &+= body() }
    use(sum)
}

/// Stops the program where a step of a measurement fails.
@inline(__always)
func orStop<T>(_ body: () throws -> T) -> T {
    do {
        return try body()
    } catch {
        fatalError("\(error)")
    }
}

/// Uses a value, so that the optimizer cannot omit its computation.
@inline(never)
func use<T>(_ value: T) {}

/// A variable with a lock, which closures can share.
final class Locked<Value>: Sendable {
    let mutex: Mutex<Value>

    init(_ value: sending Value) { mutex = Mutex(value) }
}

/// Repeats an operation on each of several threads at once, and returns the nanoseconds of one repetition. The closure is passed
/// the thread's number, and the number of repetitions.
///
/// Readers choose a lock by the place of their stack. The same two threads would choose the same locks in every round, so each
/// round has threads of its own, behind others that take up some of the places.
func onThreads(_ threads: Int, _ count: Int, _ body: @escaping @Sendable (Int, Int) -> Void) -> Double {
    let (others, end) = (Int.random(in: 0..<8), DispatchSemaphore(value: 0))
    for _ in 0..<others { Thread { end.wait() }.start() }
    defer { for _ in 0..<others { end.signal() } }
    return repeating(1) {
        let group = DispatchGroup()
        for number in 0..<threads {
            group.enter()
            let thread = Thread {
                body(number, count)
                group.leave()
            }
            thread.start()
        }
        group.wait()
    } / Double(count)
}

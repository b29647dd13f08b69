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

/// The pauses between attempts to take a lock: no system call waits for a lock for a limited time.
///
/// A lock is usually held for some microseconds, so the first attempts follow each other, and the pauses grow to half a
/// millisecond. After a longer wait they shrink again: of those who wait for a lock that is free for a moment, the one that has
/// waited longest probably takes it.
///
/// No attempt yields the processor. On a busy machine, a thread that yields is one that waits for all others: 20 times take half
/// a second beside four busy programs on two processors. A thread that has slept runs soon.
package struct LockPause {
    private var attempts = 0
    /// The last pause, if the process exits.
    private var last: ExitHook.WaitMark?

    package init() {}

    /// Waits until the next attempt.
    package mutating func next() {
        attempts += 1
        // With the attempt since the last pause: it may take long in a network.
        last = ExitHook.countWait(since: last)
        guard attempts > 20 else { return }
        let pause = attempts <= 70 ? 10 * (attempts - 20) : max(100, 500 - 10 * (attempts - 70))
        ThreadPause.sleep(for: .microseconds(pause))
    }
}

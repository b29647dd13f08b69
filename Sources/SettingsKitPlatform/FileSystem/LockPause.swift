/// The pauses between attempts to take a lock. No system call waits for a lock for a limited time.
///
/// A lock is usually held for some microseconds, so the first attempts follow each other. Then another process probably takes the
/// lock again and again. Taking turns with it after each time would make both slow, because a process first reads what the other
/// has written. So the pauses grow quickly to half a millisecond. After a longer wait they shrink again, so that the longest waiting
/// thread is likely to get a lock that is free for a moment.
///
/// No attempt yields the processor. On a busy machine, a yielding thread waits for all others: 20 yields take half a second
/// beside four busy programs on two processors. A thread that has slept runs soon.
package struct LockPause {
    private var attempts = 0
    private let deadline: Deadline?

    /// - Parameter deadline: The end of the wait. Nil if the caller determines it.
    package init(until deadline: Deadline? = nil) { self.deadline = deadline }

    /// Waits until the next attempt.
    ///
    /// - Returns: false, without waiting, if the deadline has passed or the exiting process has waited for long enough.
    @discardableResult
    package mutating func next() -> Bool {
        if deadline?.hasPassed == true || ExitHook.isOutOfPatience { return false }
        attempts += 1
        guard attempts > 3 else { return true }
        let pause = attempts <= 8 ? 10 << (attempts - 3) : max(100, 500 - 10 * (attempts - 9))
        ThreadPause.sleep(for: .microseconds(pause))
        return true
    }
}

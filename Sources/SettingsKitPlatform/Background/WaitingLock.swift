#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock of the C library, for threads that wait for a condition.
///
/// It is taken before a fork and made new in the child, which `Mutex` does not allow.
///
/// `@unchecked Sendable`: the pointer never changes, and what it points to is only given to functions that any thread may
/// call.
struct WaitingLock: @unchecked Sendable {
    fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// Makes a lock that lives as long as the process.
    init() { reset() }

    /// Makes the lock new, whatever state a fork has left it in.
    func reset() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }
}

/// Something that threads wait for.
///
/// `@unchecked Sendable`: as for ``WaitingLock``.
struct WaitingCondition: @unchecked Sendable {
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Makes a condition that lives as long as the process.
    init() { reset() }

    /// Makes the condition new: in the child of a fork nothing waits for it.
    func reset() {
        condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    /// Wakes one of the threads that wait.
    func signal() { pthread_cond_signal(condition) }

    /// Releases the lock, waits, and takes the lock again. It may return early.
    func wait(with lock: WaitingLock, until moment: Moment) {
        #if canImport(Darwin)
            var pause = timespec(nanoseconds: max(0, moment - .now))
            pthread_cond_timedwait_relative_np(condition, lock.mutex, &pause)
        #else
            var time = timespec(nanoseconds: moment.nanoseconds)
            pthread_cond_timedwait(condition, lock.mutex, &time)
        #endif
    }
}

/// A point in time, on a clock that no person sets.
struct Moment: Comparable, Sendable {
    fileprivate(set) var nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func after(_ duration: Duration) -> Moment {
        let duration = min(max(duration, .zero), .seconds(1_000_000_000))
        return Moment(nanoseconds: now.nanoseconds + Int64(duration / .nanoseconds(1)))
    }

    /// The last multiple of a quarter of a second that is not later: what is due at about the same time is then done at
    /// once, and wakes the process once.
    var rounded: Moment { Moment(nanoseconds: nanoseconds - nanoseconds % 250_000_000) }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    fileprivate static func - (left: Moment, right: Moment) -> Int64 { left.nanoseconds - right.nanoseconds }
}

extension timespec {
    fileprivate init(nanoseconds: Int64) {
        self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}

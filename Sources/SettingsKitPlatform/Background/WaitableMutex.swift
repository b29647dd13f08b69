import SettingsKitCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// State guarded by a mutex of the C library, for threads that wait until the state changes.
///
/// `@unchecked Sendable`: the pointers to the mutex and the conditions never change, and any thread may call the C library's
/// functions with them. `state` is used only while the mutex is locked: through an ``Access``, which exists only then and cannot
/// be copied out of `body`.
final class WaitableMutex<State: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let state: UnsafeMutablePointer<State>
    #if DEBUG
        private static var identity: HeldLocks.Identity { .init(rank: .leaf) }
    #endif

    /// Creates a mutex that lives as long as the process.
    ///
    /// - Parameter conditionCount: The number of conditions that threads wait for, whose numbers begin at 0. Numbers, because looking
    ///   up the conformances of a type takes a noticeable part of a process's start.
    init(_ initialState: State, conditionCount: Int) {
        conditions = .allocate(capacity: conditionCount)
        state = .allocate(capacity: 1)
        state.initialize(to: initialState)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        #if !canImport(Darwin)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            defer { pthread_condattr_destroy(&attributes) }
        #endif
        for number in 0..<conditionCount {
            (conditions + number).initialize(to: pthread_cond_t())
            #if canImport(Darwin)
                pthread_cond_init(conditions + number, nil)
            #else
                pthread_cond_init(conditions + number, &attributes)
            #endif
        }
    }

    /// Calls `body` with the mutex locked.
    func withLock<R>(_ body: (inout Access) -> R) -> R {
        #if DEBUG
            HeldLocks.willLock(Self.identity)
            defer { HeldLocks.didUnlock(Self.identity) }
        #endif
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var access = Access(owner: self)
        return body(&access)
    }

    /// The use of the state by the thread that has locked the mutex.
    struct Access: ~Copyable {
        fileprivate let owner: WaitableMutex

        /// The state. Each use of it must end before ``wait(for:until:)`` lets other threads change it.
        var state: State {
            _read { yield owner.state.pointee }
            _modify { yield &owner.state.pointee }
        }

        /// Wakes one of the threads that wait for a condition.
        func signal(_ condition: Int) { pthread_cond_signal(owner.conditions + condition) }

        /// Unlocks the mutex, waits, and locks it again. May return early.
        mutating func wait(for condition: Int, until moment: Deadline) {
            #if canImport(Darwin)
                var pause = moment.timeLeft
                pthread_cond_timedwait_relative_np(owner.conditions + condition, owner.mutex, &pause)
            #else
                var time = moment.time
                pthread_cond_timedwait(owner.conditions + condition, owner.mutex, &time)
            #endif
        }
    }
}

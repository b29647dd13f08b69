import Synchronization

// Debug builds replace `Synchronization.Mutex` to count the locks that a thread holds. Builds for the thread sanitizer also use a lock of the
// C library, because the sanitizer does not know `Synchronization.Mutex`. On Linux, that is a futex, which a library without
// instrumentation locks, so the sanitizer would report every guarded access as a race. See `.ci/run`.
#if DEBUG
    #if SETTINGSKIT_THREAD_SANITIZER
        import Foundation
    #endif

    /// Replaces `Synchronization.Mutex` with a mutex that has a level.
    @usableFromInline package struct RankedMutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Synchronization.Mutex<Value>
        private let rank: LockRank?
        #if SETTINGSKIT_THREAD_SANITIZER
            /// A lock of the C library around every access to the value.
            private let lock = NSLock()
        #endif

        /// Creates a mutex that guards `value`.
        ///
        /// - Parameter rank: The mutex's level. Nil for a mutex of a test, which is not checked.
        package init(_ value: consuming sending Value, _ rank: LockRank?) {
            mutex = Synchronization.Mutex(value)
            self.rank = rank
        }

        /// Calls `body` with the lock held.
        @usableFromInline package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            HeldLocks.willLock(rank)
            defer { HeldLocks.didUnlock(rank) }
            #if SETTINGSKIT_THREAD_SANITIZER
                lock.lock()
                defer { lock.unlock() }
            #endif
            return try mutex.withLock(body)
        }

        /// Calls `body` with the lock held, unless another thread holds it.
        @usableFromInline package func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            HeldLocks.willTry(rank)
            defer { HeldLocks.didUnlock(rank) }
            #if SETTINGSKIT_THREAD_SANITIZER
                guard lock.try() else { return nil }
                defer { lock.unlock() }
            #endif
            return try mutex.withLockIfAvailable(body)
        }
    }

    @usableFromInline typealias Mutex = RankedMutex
#else
    extension Mutex where Value: ~Copyable {
        /// Creates a mutex that guards `value`. Debug builds check its level.
        @inlinable package init(_ value: consuming sending Value, _ rank: LockRank) { self.init(value) }
    }
#endif

/// The level of a mutex.
///
/// A thread that holds mutexes takes only those of the same level or of a higher one, and none while it holds a leaf. User code runs
/// while no mutex is held; the exceptions call ``HeldLocks/excepting(_:)``. Debug builds can check both with ``HeldLocks``; see the
/// article *Architecture*.
@usableFromInline package enum LockRank: UInt8, Sendable {
    /// A mutex of a store: around its opening, its files or its memory.
    case store
    /// A mutex of a service or of its connection to a store: around its settings, listeners, cached values and errors.
    case connection
    /// A mutex inside which no other is taken.
    case leaf
}

import Synchronization

// Debug builds replace `Synchronization.Mutex` to check the order of locks. Builds for the thread sanitizer also use a lock of the
// C library, because the sanitizer does not know `Synchronization.Mutex`. On Linux, that is a futex, which a library without
// instrumentation locks, so the sanitizer would report every guarded access as a race. See `.ci/run`.
#if DEBUG
    #if SETTINGSKIT_THREAD_SANITIZER
        import Foundation
    #endif

    /// Replaces `Synchronization.Mutex` with a mutex that has a rank.
    @usableFromInline package struct RankedMutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Synchronization.Mutex<Value>
        private let identity: HeldLocks.Identity?
        #if SETTINGSKIT_THREAD_SANITIZER
            /// A lock of the C library around every access to the value.
            private let lock = NSLock()
        #endif

        /// Creates a mutex that guards `value`.
        ///
        /// - Parameter rank: The mutex's place in the order of locks. Nil for a mutex of a test, which is not checked.
        package init(
            _ value: consuming sending Value, _ rank: LockRank?, place: StaticString = #fileID, line: UInt = #line
        ) {
            mutex = Synchronization.Mutex(value)
            identity = rank.map { .init(rank: $0, place: place, line: line) }
        }

        /// Calls `body` with the lock held.
        @usableFromInline package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            HeldLocks.willLock(identity)
            defer { HeldLocks.didUnlock(identity) }
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
            HeldLocks.willTry(identity)
            defer { HeldLocks.didUnlock(identity) }
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
        /// Creates a mutex that guards `value`. Debug builds check its rank.
        @inlinable package init(_ value: consuming sending Value, _ rank: LockRank) { self.init(value) }
    }
#endif

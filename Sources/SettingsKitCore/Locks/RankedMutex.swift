import Synchronization

// Debug builds replace `Synchronization.Mutex`, so that the order of locks can be checked. Those for the thread sanitizer add a
// lock of the C library, because the sanitizer does not know `Synchronization.Mutex`: on Linux it is a futex that is locked
// inside a library without instrumentation, so that everything it guards would be reported as a race. See `.ci/run`.
#if DEBUG
    #if SETTINGSKIT_THREAD_SANITIZER
        import Foundation
    #endif

    /// A replacement for `Synchronization.Mutex` that has a rank.
    @usableFromInline package struct RankedMutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Synchronization.Mutex<Value>
        private let identity: HeldLocks.Identity?
        #if SETTINGSKIT_THREAD_SANITIZER
            /// A lock of the C library, around every use of the value.
            private let lock = NSLock()
        #endif

        /// A mutex that guards `value`.
        ///
        /// - Parameter rank: Its place in the order of locks. Nil for a mutex of a test, which is not checked.
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
        /// A mutex that guards `value`. Its rank is checked in debug builds.
        @inlinable package init(_ value: consuming sending Value, _ rank: LockRank) { self.init(value) }
    }
#endif

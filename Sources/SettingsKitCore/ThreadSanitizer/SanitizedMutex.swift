// The thread sanitizer knows the locks of the C library, but not `Synchronization.Mutex`: on Linux that is a futex which
// is locked inside a library that is not instrumented, so that everything it guards is reported as a race. A build for
// the sanitizer therefore uses this mutex in its place; see `.ci/run`. No other build contains it.
#if SETTINGSKIT_THREAD_SANITIZER
    import Foundation
    import Synchronization

    /// A replacement for `Synchronization.Mutex`, which also holds an `NSLock`, a lock of the C library, around
    /// every use of the value.
    public struct SanitizedMutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Synchronization.Mutex<Value>
        private let lock = NSLock()

        /// A mutex that guards `value`.
        public init(_ value: consuming sending Value) {
            mutex = Synchronization.Mutex(value)
        }

        /// Calls `body` with the lock held.
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try mutex.withLock(body)
        }

        /// Calls `body` with the lock held, unless another thread holds it.
        public func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard lock.try() else { return nil }
            defer { lock.unlock() }
            return try mutex.withLockIfAvailable(body)
        }
    }

    @usableFromInline typealias Mutex = SanitizedMutex
#endif

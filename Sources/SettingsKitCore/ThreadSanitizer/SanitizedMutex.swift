// The thread sanitizer knows the locks of the C library, but not `Synchronization.Mutex`: on Linux that is a futex which
// is locked inside a library that is not instrumented, so that everything it guards is reported as a race. A build for
// the sanitizer therefore uses this mutex in its place; see `.ci/run`. No other build contains it.
#if SETTINGSKIT_THREAD_SANITIZER
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A replacement for `Synchronization.Mutex`, with a lock that the thread sanitizer knows.
    public struct SanitizedMutex<Value>: Sendable {
        // @unchecked: the value is used only while the lock is held.
        private final class Storage: @unchecked Sendable {
            let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            var value: Value

            init(_ value: Value) {
                self.value = value
                lock.initialize(to: pthread_mutex_t())
                pthread_mutex_init(lock, nil)
            }

            deinit {
                pthread_mutex_destroy(lock)
                lock.deallocate()
            }
        }

        private let storage: Storage

        /// A mutex that guards `value`.
        public init(_ value: consuming sending Value) {
            storage = Storage(value)
        }

        /// Calls `body` with the lock held.
        public func withLock<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(storage.lock)
            defer { pthread_mutex_unlock(storage.lock) }
            return try body(&storage.value)
        }

        /// Calls `body` with the lock held, unless another thread holds it.
        public func withLockIfAvailable<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            guard pthread_mutex_trylock(storage.lock) == 0 else { return nil }
            defer { pthread_mutex_unlock(storage.lock) }
            return try body(&storage.value)
        }
    }

    @usableFromInline typealias Mutex = SanitizedMutex
#endif

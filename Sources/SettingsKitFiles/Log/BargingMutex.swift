import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// A mutex that is held during system calls: a running thread takes it before those that wait.
///
/// On Linux, `Mutex` hands itself over to a waiting thread. If several threads want it all the time, each time it is held costs a
/// switch between threads, which takes longer than the system calls. Here one thread at a time looks, with pauses, whether the mutex
/// is free, and the others wait behind it. So a thread that needs the mutex again at once keeps it for some tens of uses. After a
/// millisecond, the waiting thread is next. On Apple platforms, `Mutex` does that itself.
struct BargingMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if !canImport(Darwin)
        private let queue = Mutex((), .store)
    #endif

    init(_ value: consuming sending Value, _ rank: LockRank) { mutex = Mutex(value, rank) }

    /// Calls `body` with the lock held.
    @inline(__always) func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if let result = try mutex.withLockIfAvailable(body) { return result }
        return try waitingWithLock(body)
    }

    @inline(never) private func waitingWithLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if canImport(Darwin)
            try mutex.withLock(body)
        #else
            try queue.withLock { _ throws(Failure) in
                for pause in LogLimits.mutexPauses {
                    ThreadPause.sleep(for: pause)
                    if let result = try mutex.withLockIfAvailable(body) { return result }
                }
                return try mutex.withLock(body)
            }
        #endif
    }
}

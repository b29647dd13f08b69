#if DEBUG
    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif
#endif

/// Records the locks that the calling thread holds, in debug builds with `SETTINGSKIT_CHECKS_LOCKS` in the environment.
///
/// The process ends with a message if a thread locks a mutex out of order, or if it is about to call user code while it holds a
/// lock. Tests set the variable. Release builds record nothing.
@usableFromInline package enum HeldLocks {
    #if DEBUG
        /// A mutex, for messages.
        package struct Identity: Sendable {
            let rank: LockRank
            let place: StaticString
            let line: UInt

            package init(rank: LockRank, place: StaticString = #fileID, line: UInt = #line) {
                (self.rank, self.place, self.line) = (rank, place, line)
            }

            var description: String { "the lock of \(place):\(line), which has the rank \(rank)," }
        }

        private static let isChecking = getenv("SETTINGSKIT_CHECKS_LOCKS") != nil

        private final class Locks {
            var held: [Identity] = []
            /// The number of held locks that an enclosing ``excepting(_:)`` allows.
            var exceptedCount = 0

            var checked: ArraySlice<Identity> { held[exceptedCount...] }
        }

        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            let error = pthread_key_create(&key) { pointer in
                #if canImport(Darwin)
                    Unmanaged<Locks>.fromOpaque(pointer).release()
                #else
                    if let pointer { Unmanaged<Locks>.fromOpaque(pointer).release() }
                #endif
            }
            precondition(error == 0, "The system has no more thread-specific keys.")
            return key
        }()

        private static var ofThread: Locks {
            if let pointer = pthread_getspecific(key) {
                return Unmanaged<Locks>.fromOpaque(pointer).takeUnretainedValue()
            }
            let locks = Locks()
            pthread_setspecific(key, Unmanaged.passRetained(locks).toOpaque())
            return locks
        }

        /// Whether the thread holds a lock, also where an enclosing ``excepting(_:)`` allows that. False unless locks are checked.
        package static var areHeld: Bool { isChecking && !ofThread.held.isEmpty }

        /// Records a lock that the thread is about to wait for.
        package static func willLock(_ lock: Identity?) {
            guard isChecking, let lock else { return }
            let locks = ofThread
            for held in locks.checked where !held.rank.mayPrecede(lock.rank) {
                fatalError("\(lock.description) is taken while \(held.description) is held.")
            }
            locks.held.append(lock)
        }

        /// Records a lock that the thread takes only if it is free. Its rank does not matter.
        package static func willTry(_ lock: Identity?) {
            if isChecking, let lock { ofThread.held.append(lock) }
        }

        /// Records that the thread has released a lock.
        package static func didUnlock(_ lock: Identity?) {
            if isChecking, lock != nil { ofThread.held.removeLast() }
        }
    #endif

    /// Requires that the thread holds no lock, because it is about to run user code.
    ///
    /// - Parameter code: The code that is about to run: "a listener".
    @inlinable @inline(__always) package static func requireNone(before code: StaticString) {
        #if DEBUG
            check(before: code)
        #endif
    }

    /// Runs user code while locks are held. It may take other locks in any order.
    @inlinable @inline(__always) package static func excepting<R, Failure: Error>(
        _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
        #if DEBUG
            let count = beginException()
            defer { endException(count) }
        #endif
        return try body()
    }

    #if DEBUG
        @usableFromInline static func check(before code: StaticString) {
            guard isChecking, let lock = ofThread.checked.first else { return }
            fatalError("\(lock.description) is held while \(code) is called.")
        }

        @usableFromInline static func beginException() -> Int {
            guard isChecking else { return 0 }
            let locks = ofThread
            defer { locks.exceptedCount = locks.held.count }
            return locks.exceptedCount
        }

        @usableFromInline static func endException(_ count: Int) {
            if isChecking { ofThread.exceptedCount = count }
        }
    #endif
}

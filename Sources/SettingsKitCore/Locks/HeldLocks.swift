#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Counts the mutexes that the calling thread holds, in debug builds with `SETTINGSKIT_CHECKS_LOCKS` in the environment.
///
/// The process ends with a message if a thread takes a mutex against the order of the levels, or if it is about to call user code
/// while it holds a mutex. Tests set the variable. Release builds count nothing.
@usableFromInline package enum HeldLocks {
    #if DEBUG
        private static let isChecking = getenv("SETTINGSKIT_CHECKS_LOCKS") != nil
        /// The thread's mutexes of each level, eight bits for each; above them, whether an enclosing ``excepting(_:)`` allows others.
        private static let counts = ThreadWord()
        private static let exception: UInt = 1 << 24

        private static func one(of rank: LockRank) -> UInt { 1 << (8 * UInt(rank.rawValue)) }

        /// Whether the thread holds a mutex, also where an enclosing ``excepting(_:)`` allows that. False unless locks are checked.
        package static var areHeld: Bool { isChecking && counts.value != 0 }

        /// Records a mutex that the thread is about to wait for.
        package static func willLock(_ rank: LockRank?) {
            guard isChecking, let rank else { return }
            let held = counts.value & (exception - 1)
            if held >= (rank == .store ? one(of: .connection) : one(of: .leaf)) {
                fatalError("A mutex of the level \(rank) is taken while one of a higher level, or a leaf, is held.")
            }
            counts.value += one(of: rank)
        }

        /// Records a mutex that the thread takes only if it is free. Its level does not matter.
        package static func willTry(_ rank: LockRank?) {
            if isChecking, let rank { counts.value += one(of: rank) }
        }

        /// Records that the thread has released a mutex.
        package static func didUnlock(_ rank: LockRank?) {
            if isChecking, let rank { counts.value -= one(of: rank) }
        }
    #endif

    /// Requires that the thread holds no mutex, because it is about to run user code.
    ///
    /// - Parameter code: The code that is about to run: "a listener".
    @inlinable @inline(__always) package static func requireNone(before code: StaticString) {
        #if DEBUG
            check(before: code)
        #endif
    }

    /// Runs user code while mutexes are held. It may take others in any order.
    @inlinable @inline(__always) package static func excepting<R, Failure: Error>(
        _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
        #if DEBUG
            let held = beginException()
            defer { endException(held) }
        #endif
        return try body()
    }

    #if DEBUG
        @usableFromInline static func check(before code: StaticString) {
            guard isChecking, counts.value & (exception - 1) != 0 else { return }
            fatalError("A mutex is held while \(code) is called.")
        }

        @usableFromInline static func beginException() -> UInt {
            guard isChecking else { return 0 }
            let held = counts.value
            if held != 0 { counts.value = exception }
            return held
        }

        @usableFromInline static func endException(_ held: UInt) { if isChecking { counts.value = held } }
    #endif
}

/// A number that each thread has of its own; zero at first.
struct ThreadWord: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "The system has no more thread-specific keys.")
        self.key = key
    }

    var value: UInt {
        get { UInt(bitPattern: pthread_getspecific(key)) }
        nonmutating set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }
}

/// An object that a thread has of its own while a closure runs; none at first.
struct ThreadObject<Object: AnyObject>: Sendable {
    private let address = ThreadWord()

    var current: Object? {
        UnsafeRawPointer(bitPattern: address.value).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` with another object, and then restores the present one.
    func replaced<R, E: Error>(by object: Object, while body: () throws(E) -> R) throws(E) -> R {
        let outer = address.value
        address.value = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        defer { withExtendedLifetime(object) { address.value = outer } }
        return try body()
    }
}

import Synchronization

// @unchecked: `storage` is raw memory. It is written only in `publish`, inside `isInitialized` and all the readers' locks,
// and read only inside one of those locks, after `state` was seen even, hence after it was initialized. The words are
// atomics. Nothing else is mutable.
/// A decoded value that any number of threads can read at once, and that can be invalidated at any time.
///
/// A counter says whether the value is valid: it is if the count is even. Each change of validity increases the count, so a thread
/// that has computed a value can check whether the value is still current.
///
/// A number, a Boolean or another plain value of at most 32 bytes is kept in atomic words under a sequence lock: reading takes a
/// few loads, and readers do not disturb each other. Several locks guard any other value. A reader takes one of them and a writer
/// all, so readers on different threads rarely contend.
///
/// The sequence lock is that of the Linux kernel, described by Boehm in "Can Seqlocks Get Along with Programming Language
/// Memory Models?", 2012; the words are read with acquiring loads, for which that paper gives the proof.
@usableFromInline struct CachedValue<Value: Sendable>: ~Copyable, @unchecked Sendable {
    /// A lock on a separate cache line.
    @usableFromInline struct ReaderLock: ~Copyable {
        @usableFromInline let lock = Mutex((), .connection)
        @usableFromInline let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)

        @usableFromInline init() {}
    }

    @usableFromInline static var readerLockCount: Int { 4 }

    /// Whether values are kept in the words. A plain value can be copied bit by bit and needs no releasing.
    @inlinable static var isPlain: Bool {
        _isPOD(Value.self) && MemoryLayout<Value>.size <= 32 && MemoryLayout<Value>.alignment <= 8
    }

    @usableFromInline let state = Atomic<UInt64>(1)
    @usableFromInline let word0 = Atomic<UInt64>(0)
    @usableFromInline let word1 = Atomic<UInt64>(0)
    @usableFromInline let word2 = Atomic<UInt64>(0)
    @usableFromInline let word3 = Atomic<UInt64>(0)

    /// The value, uninitialized before the first is published; nil where values are plain.
    @usableFromInline let storage: UnsafeMutablePointer<Value>?
    @usableFromInline let readerLocks: UnsafeMutablePointer<ReaderLock>?

    /// Whether `storage` is initialized; held while a value is published.
    private let isInitialized = Mutex(false, .connection)

    init() {
        if Self.isPlain {
            storage = nil
            readerLocks = nil
        } else {
            storage = .allocate(capacity: 1)
            let locks = UnsafeMutablePointer<ReaderLock>.allocate(capacity: Self.readerLockCount)
            for number in 0..<Self.readerLockCount { (locks + number).initialize(to: ReaderLock()) }
            readerLocks = locks
        }
    }

    deinit {
        if let storage {
            if isInitialized.withLock({ $0 }) { storage.deinitialize(count: 1) }
            storage.deallocate()
        }
        readerLocks?.deinitialize(count: Self.readerLockCount)
        readerLocks?.deallocate()
    }

    /// The current count. Read it before you compute a value, and pass it to ``publish(_:token:)`` with the value.
    var token: UInt64 { state.load(ordering: .acquiring) }

    /// The count while a value is cached that was published with a token.
    static func token(afterPublishing token: UInt64) -> UInt64 { token &+ 1 }

    /// Invalidates the value. Takes no lock and never waits.
    ///
    /// Inlined, because a call would first look up the type's metadata.
    @inline(__always) func invalidate() {
        var current = state.load(ordering: .relaxed)
        while true {
            let next = current & 1 == 0 ? current &+ 1 : current &+ 2
            let (exchanged, original) = state.weakCompareExchange(
                expected: current, desired: next, ordering: .acquiringAndReleasing)
            if exchanged { return }
            current = original
        }
    }

    /// Returns the value if it is valid.
    @inlinable @inline(__always) func read() -> Value? {
        let before = state.load(ordering: .acquiring)
        guard before & 1 == 0 else { return nil }
        if Self.isPlain {
            var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            words.0 = word0.load(ordering: .acquiring)
            if MemoryLayout<Value>.size > 8 { words.1 = word1.load(ordering: .acquiring) }
            if MemoryLayout<Value>.size > 16 { words.2 = word2.load(ordering: .acquiring) }
            if MemoryLayout<Value>.size > 24 { words.3 = word3.load(ordering: .acquiring) }
            guard state.load(ordering: .relaxed) == before else { return nil }
            return withUnsafeBytes(of: &words) { $0.baseAddress.unsafelyUnwrapped.load(as: Value.self) }
        }
        let storage = storage.unsafelyUnwrapped
        return readerLocks.unsafelyUnwrapped[Self.readerLockNumber].lock.withLock { _ in storage.pointee }
    }

    /// The number of the lock that this thread takes. Threads have stacks far apart, so the stack's address distinguishes them.
    @inlinable @inline(__always) static var readerLockNumber: Int {
        var probe: UInt8 = 0
        let address = withUnsafeMutablePointer(to: &probe) { UInt(bitPattern: $0) }
        // In 64 bits, also where an address has 32.
        let scattered = UInt64(truncatingIfNeeded: address &>> 18) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: scattered &>> 62)
    }

    /// Keeps a value, unless it was invalidated after its token was read.
    ///
    /// - Returns: The replaced value, to be released outside of every lock.
    @discardableResult
    func publish(_ value: Value, token: UInt64) -> Value? {
        guard token & 1 == 1 else { return nil }
        return isInitialized.withLock { isInitialized in
            guard state.load(ordering: .acquiring) == token else { return nil }
            var replaced: Value?
            if Self.isPlain {
                store(value)
            } else {
                withAllReaderLocks {
                    let storage = storage.unsafelyUnwrapped
                    if isInitialized { replaced = storage.move() }
                    storage.initialize(to: value)
                    isInitialized = true
                }
            }
            // Fails if the value was invalidated meanwhile; it then stays invalid.
            _ = state.compareExchange(
                expected: token, desired: Self.token(afterPublishing: token), ordering: .acquiringAndReleasing)
            return replaced
        }
    }

    private func store(_ value: Value) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { words in
            withUnsafeBytes(of: value) { words.copyMemory(from: $0) }
        }
        word0.store(words.0, ordering: .releasing)
        word1.store(words.1, ordering: .releasing)
        word2.store(words.2, ordering: .releasing)
        word3.store(words.3, ordering: .releasing)
    }

    private func withAllReaderLocks(from number: Int = 0, _ body: () -> Void) {
        guard number < Self.readerLockCount else { return body() }
        readerLocks.unsafelyUnwrapped[number].lock.withLock { _ in
            withAllReaderLocks(from: number + 1, body)
        }
    }
}

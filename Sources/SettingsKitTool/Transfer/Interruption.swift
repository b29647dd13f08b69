import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether a signal has come. A handler may do nothing but set it.
private let hasSignalCome = Atomic(false)

/// Notices signals that ask the process to end, so that a long operation can end between two steps and say how to go on.
///
/// A signal that the process ignores already, as under `nohup`, stays ignored. There is one at a time in a process.
struct Interruption {
    private let signals: [Int32]

    init() {
        // Before a handler can run: the first use of the variable creates it.
        hasSignalCome.store(false, ordering: .relaxed)
        signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
            let before = signal(number) { _ in hasSignalCome.store(true, ordering: .relaxed) }
            let isIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if isIgnored { signal(number, SIG_IGN) }
            return !isIgnored
        }
    }

    /// Whether a signal has come.
    var hasCome: Bool { hasSignalCome.load(ordering: .relaxed) }

    /// Lets the signals end the process again.
    func end() {
        for number in signals { signal(number, SIG_DFL) }
    }
}

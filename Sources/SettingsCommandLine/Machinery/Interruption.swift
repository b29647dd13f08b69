import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether a signal has arrived. A handler may do nothing but set it.
private let hasSignalArrived = Atomic(false)

/// Receives the signals that ask the process to end, so that a long operation ends between two steps with a message on how to
/// resume.
///
/// A signal that the process already ignores, as under `nohup`, stays ignored. A process has at most one interruption at a time.
struct Interruption {
    private let signals: [Int32]

    init() {
        // The first use creates the variable, which must exist before a handler runs.
        hasSignalArrived.store(false, ordering: .relaxed)
        signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
            let before = signal(number) { _ in hasSignalArrived.store(true, ordering: .relaxed) }
            let isIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if isIgnored { signal(number, SIG_IGN) }
            return !isIgnored
        }
    }

    /// Whether a signal has arrived.
    var hasArrived: Bool { hasSignalArrived.load(ordering: .relaxed) }

    /// Lets the signals end the process again.
    func end() {
        for number in signals { signal(number, SIG_DFL) }
    }
}

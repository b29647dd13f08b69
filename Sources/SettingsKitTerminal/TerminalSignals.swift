import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The signals that the terminal view receives, and the pipe that wakes it.
///
/// A handler writes the signal's number into the pipe; the view reads it between two keys. Other threads write 0 to wake the
/// view. The pipe is created once and never closed, because a handler may be about to write to it.
enum TerminalSignals {
    /// The signals that end the process, which must die of them after the terminal is restored.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The signals of a crash.
    static let failing = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]
    private static let noticed = ending + [SIGTSTP, SIGCONT, SIGWINCH]

    private static let readEnd = Atomic<Int32>(-1)
    private static let writeEnd = Atomic<Int32>(-1)
    /// Whether an unread 0 is in the pipe.
    private static let isWoken = Atomic<Bool>(false)
    /// A signal that ends the process, until the view has read it from the pipe.
    private static let end = Atomic<Int32>(0)
    /// The address of an array with each signal's action before the view.
    private static let previousActions = Atomic<UInt>(0)
    private static let actionCount = 65

    /// Whether a signal that ends the process has arrived.
    static var hasEnded: Bool { end.load(ordering: .relaxed) != 0 }

    /// The end of the pipe that the view reads.
    static var pipe: Int32 { readEnd.load(ordering: .relaxed) }

    /// Wakes the view. Any thread may call it at any time.
    static func wake() {
        if isWoken.exchange(true, ordering: .sequentiallyConsistent) { return }
        notify(0)
    }

    /// Returns the signals that have arrived; 0 among them if the view was woken.
    static func receive() -> Set<Int32> {
        var signals: Set<Int32> = []
        var bytes = [UInt8](repeating: 0, count: 256)
        isWoken.store(false, ordering: .sequentiallyConsistent)
        while case let count = read(pipe, &bytes, bytes.count), count > 0 {
            signals.formUnion(bytes[..<count].map { Int32($0) })
        }
        return signals
    }

    // MARK: Handlers

    /// Installs the handlers, except for signals that the process ignores.
    static func install() {
        makePipe()
        end.store(0, ordering: .sequentiallyConsistent)
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: actionCount)
        actions.initialize(repeating: sigaction(), count: actionCount)
        for signal in noticed + failing { sigaction(signal, nil, &actions[Int(signal)]) }
        previousActions.store(UInt(bitPattern: actions), ordering: .sequentiallyConsistent)
        useAlternateStack()
        for signal in noticed where !actions[Int(signal)].isIgnoring { notice(signal) }
        for signal in failing where !actions[Int(signal)].isIgnoring {
            var action = sigaction(handler: { TerminalSignals.fail($0) })
            // The stack itself may have failed.
            action.sa_flags = Int32(SA_ONSTACK)
            sigaction(signal, &action, nil)
        }
    }

    /// Restores the previous actions.
    static func uninstall() { for signal in noticed + failing { restoreAction(of: signal) } }

    /// Raises a signal with the action that it would have without the view.
    static func raiseAgain(_ signal: Int32) {
        restoreAction(of: signal)
        raise(signal)
    }

    /// Handles a signal again after ``raiseAgain(_:)``.
    static func notice(_ signal: Int32) {
        // Without SA_RESTART, a signal ends the wait.
        var action = sigaction(handler: { TerminalSignals.notify($0) })
        sigaction(signal, &action, nil)
    }

    private static func notify(_ signal: Int32) {
        let error = errno
        switch signal {
        case SIGINT, SIGTERM, SIGHUP, SIGQUIT: end.store(signal, ordering: .relaxed)
        default: break
        }
        var byte = UInt8(truncatingIfNeeded: signal)
        // If the pipe is full, the view has enough to read.
        _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
        errno = error
    }

    /// Restores the terminal, and ends the process by the signal, as without the view.
    private static func fail(_ signal: Int32) {
        TerminalRestoration.restore(discardsInput: true)
        raiseAgain(signal)
    }

    private static func restoreAction(of signal: Int32) {
        let address = previousActions.load(ordering: .relaxed)
        guard let actions = UnsafeMutablePointer<sigaction>(bitPattern: address) else { return }
        sigaction(signal, actions + Int(signal), nil)
    }

    // MARK: Resources of the handlers

    private static func makePipe() {
        if pipe >= 0 { return }
        var ends: [Int32] = [-1, -1]
        // Without a pipe, the view would receive only keys. A process that could start has descriptors left.
        precondition(Self.pipe(&ends) == 0, "The process has no descriptors left for the terminal view.")
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd.store(ends[0], ordering: .sequentiallyConsistent)
        writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        // A handler must not be the first to use them.
        _ = (isWoken.load(ordering: .relaxed), end.load(ordering: .relaxed))
    }

    private static func pipe(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Glibc)
            Glibc.pipe(&ends)
        #else
            Darwin.pipe(&ends)
        #endif
    }

    /// Gives this thread a stack for handlers, unless it has one.
    private static func useAlternateStack() {
        var current = stack_t()
        guard sigaltstack(nil, &current) == 0, current.ss_flags & Int32(SS_DISABLE) != 0 else { return }
        let size = 65_536
        var stack = stack_t()
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        stack.ss_size = numericCast(size)
        // The memory is never released: the thread may be using it.
        sigaltstack(&stack, nil)
    }
}

extension sigaction {
    fileprivate init(handler: @escaping @convention(c) (Int32) -> Void) {
        self.init()
        sigemptyset(&sa_mask)
        #if canImport(Darwin)
            __sigaction_u.__sa_handler = handler
        #else
            __sigaction_handler.sa_handler = handler
        #endif
    }

    fileprivate var isIgnoring: Bool {
        #if canImport(Darwin)
            let handler = __sigaction_u.__sa_handler
        #else
            let handler = __sigaction_handler.sa_handler
        #endif
        // SIG_IGN is not a function that can be compared.
        return unsafeBitCast(handler, to: Int.self) == 1
    }
}

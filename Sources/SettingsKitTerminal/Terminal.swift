import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The terminal of the process for the terminal view: its keys, its screen, and its signals.
///
/// One thread uses it. A process has at most one at a time.
package final class Terminal {
    /// The input since the last call.
    struct Input {
        var bytes: [UInt8] = []
        /// The signals, and 0 after ``TerminalSignals/wake()``.
        var signals: Set<Int32> = []
        /// The text that the process has written to standard error.
        var errors = ""
        /// Whether the terminal is closed.
        var isClosed = false
    }

    private let input: Int32
    private let output: Int32
    private var attributes = termios()
    private var errors: TerminalRestoration.CapturedErrors?
    /// All text written to standard error, which is written there when the view ends.
    private var capturedErrors = ""

    private static let isInUse = Atomic<Bool>(false)

    /// - Throws: A usage error if standard input and output are not a terminal that can show the view.
    package static func require() throws(TerminalFailure) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw .missing(
                "browse needs a terminal on standard input and standard output. Use list, get and set in scripts.")
        }
        if ["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "") {
            throw .missing("browse needs a terminal with a cursor, and TERM names none. Use list, get and set.")
        }
    }

    /// Opens the terminal on standard input and output.
    ///
    /// - Throws: The errors of ``require()``; a failure if the process already has a view.
    init() throws(TerminalFailure) {
        (input, output) = (STDIN_FILENO, STDOUT_FILENO)
        try Self.require()
        if Self.isInUse.exchange(true, ordering: .sequentiallyConsistent) {
            throw .interrupted("The process has a terminal view already.")
        }
        captureErrors()
        TerminalSignals.install()
        enter()
    }

    /// Restores the terminal.
    func restore() {
        TerminalRestoration.restore(discardsInput: TerminalSignals.hasEnded)
        TerminalSignals.uninstall()
        if let errors { for descriptor in [errors.original, errors.pipe, errors.pipeInput] { close(descriptor) } }
        errors = nil
        var text = capturedErrors
        text.withUTF8 { _ = writeToTerminal(UnsafeRawBufferPointer($0), STDERR_FILENO) }
        Self.isInUse.store(false, ordering: .sequentiallyConsistent)
    }

    private func enter() {
        tcgetattr(input, &attributes)
        TerminalRestoration.prepare(input: input, output: output, attributes: attributes, errors: errors)
        writeToTerminal(TerminalSequence.enter, output)
        resume()
    }

    /// Sets the modes again, which another process may have changed while this one was stopped.
    func resume() {
        var raw = attributes.raw
        tcsetattr(input, TCSANOW, &raw)
        writeToTerminal(TerminalSequence.modes, output)
    }

    /// Stops the process, as the key for it does, with the terminal restored; returns when the process continues.
    func suspend() {
        TerminalRestoration.restore()
        TerminalSignals.raiseAgain(SIGTSTP)
        TerminalSignals.notice(SIGTSTP)
        if let errors { dup2(errors.pipeInput, STDERR_FILENO) }
        enter()
    }

    // MARK: Standard error

    /// Shows in the view what the process writes to standard error, such as diagnostics, if that is the terminal.
    private func captureErrors() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // Text that the view does not read in time is lost: the process must not wait for itself.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        dup2(ends[1], STDERR_FILENO)
        errors = .init(original: original, pipe: ends[0], pipeInput: ends[1])
    }

    // MARK: Reading and writing

    /// The number of columns and rows.
    func size(environment: [String: String]) -> (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(output, UInt(TIOCGWINSZ), &size) == 0
        let columns = isKnown ? Int(size.ws_col) : 0
        let rows = isKnown ? Int(size.ws_row) : 0
        // A serial line does not know its size.
        return (
            columns > 0 ? columns : environment["COLUMNS"].flatMap(Int.init) ?? 80,
            rows > 0 ? rows : environment["LINES"].flatMap(Int.init) ?? 24
        )
    }

    /// - Returns: False if the terminal is closed.
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 {
            writeToTerminal(UnsafeRawBufferPointer($0), output, unless: { TerminalSignals.hasEnded })
        }
    }

    /// Waits for keys, signals or a call of ``TerminalSignals/wake()``.
    ///
    /// - Parameter timeout: How long it waits at most, in milliseconds; nil for no limit.
    func wait(timeout: Int?) -> Input {
        var states = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: TerminalSignals.pipe, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors?.pipe ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&states, nfds_t(states.count), timeout.map { Int32(clamping: $0) } ?? -1)
        var result = Input()
        result.signals = TerminalSignals.receive()
        if states[2].revents != 0 { result.errors = readErrors() }
        let events = Int32(states[0].revents)
        if events & Int32(POLLIN) != 0 {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(input, &bytes, bytes.count)
            result.bytes = Array(bytes.prefix(max(0, count)))
            result.isClosed = count == 0 || count < 0 && errno != EINTR && errno != EAGAIN
        } else if events != 0 {
            result.isClosed = true
        }
        return result
    }

    private func readErrors() -> String {
        guard let errors else { return "" }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(errors.pipe, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        if capturedErrors.utf8.count < TerminalLimits.capturedErrors { capturedErrors += text }
        return text
    }
}

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Restores the terminal wherever the process ends: in the view, in `exit`, or in a signal handler.
///
/// A process that is killed by SIGKILL cannot restore the terminal, and neither can one whose stack overflows on another thread
/// than the view's.
enum TerminalRestoration {
    private struct Terminal {
        var input: Int32
        var output: Int32
        var attributes: termios
        var errors: CapturedErrors?
    }

    /// The descriptors for captured standard error.
    struct CapturedErrors {
        /// Standard error of the terminal.
        var original: Int32
        /// The end of the pipe that the view reads.
        var pipe: Int32
        /// The end of the pipe that the process writes.
        var pipeInput: Int32
    }

    /// The address of the `Terminal` to restore; 0 if there is none. Signal handlers may only use such memory.
    private static let address = Atomic<UInt>(0)

    private static let endsWithProcess: Void = { _ = atexit { TerminalRestoration.restore() } }()

    /// Records how to restore the terminal.
    static func prepare(input: Int32, output: Int32, attributes: termios, errors: CapturedErrors?) {
        _ = endsWithProcess
        let terminal = UnsafeMutablePointer<Terminal>.allocate(capacity: 1)
        terminal.initialize(to: Terminal(input: input, output: output, attributes: attributes, errors: errors))
        // The previous memory is never released, because a handler may be reading it. Views are few.
        address.store(UInt(bitPattern: terminal), ordering: .sequentiallyConsistent)
    }

    /// Restores the terminal, once.
    ///
    /// It uses only functions that a signal handler may call.
    ///
    /// - Parameter discardsInput: Whether to discard typed and unread input, so that it does not become a command of the shell.
    static func restore(discardsInput: Bool = false) {
        let address = address.exchange(0, ordering: .sequentiallyConsistent)
        guard let terminal = UnsafePointer<Terminal>(bitPattern: address) else { return }
        writeToTerminal(TerminalSequence.leave, terminal.pointee.output)
        // In the background, the attributes are the shell's, and setting them would stop the process.
        if tcgetpgrp(terminal.pointee.input) == getpgrp() {
            if discardsInput { tcflush(terminal.pointee.input, TCIFLUSH) }
            var attributes = terminal.pointee.attributes
            tcsetattr(terminal.pointee.input, TCSANOW, &attributes)
        }
        guard let errors = terminal.pointee.errors else { return }
        dup2(errors.original, STDERR_FILENO)
        // The last messages may explain why the process ends.
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            while case let count = read(errors.pipe, buffer.baseAddress, buffer.count), count > 0 {
                writeToTerminal(UnsafeRawBufferPointer(rebasing: buffer[..<count]), errors.original)
            }
        }
    }
}

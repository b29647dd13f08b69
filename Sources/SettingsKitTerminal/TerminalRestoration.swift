import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Restores the terminal, from wherever the process ends: the view itself, `exit`, or the handler of a signal.
///
/// A process that is killed by SIGKILL cannot restore anything, and neither can one whose stack overflows on another thread
/// than the view's.
enum TerminalRestoration {
    private struct Terminal {
        var input: Int32
        var output: Int32
        var attributes: termios
        var errors: CapturedErrors?
    }

    /// Where standard error goes meanwhile.
    struct CapturedErrors {
        /// The terminal.
        var original: Int32
        /// The end of the pipe from which the view reads.
        var pipe: Int32
        /// The end to which the process writes.
        var pipeInput: Int32
    }

    /// The address of the `Terminal` to restore; 0 if there is none. Handlers of signals may only use such memory.
    private static let address = Atomic<UInt>(0)

    private static let endsWithProcess: Void = { _ = atexit { TerminalRestoration.restore() } }()

    /// Notes how the terminal is to be restored.
    static func prepare(input: Int32, output: Int32, attributes: termios, errors: CapturedErrors?) {
        _ = endsWithProcess
        let terminal = UnsafeMutablePointer<Terminal>.allocate(capacity: 1)
        terminal.initialize(to: Terminal(input: input, output: output, attributes: attributes, errors: errors))
        // The memory of a previous one is not released: a handler may be reading it. A view needs few of them.
        address.store(UInt(bitPattern: terminal), ordering: .sequentiallyConsistent)
    }

    /// Restores the terminal, once.
    ///
    /// It uses nothing but functions that a signal's handler may call.
    ///
    /// - Parameter discardsInput: Whether what was typed and not read is discarded, so that it does not become a command of
    ///   the shell.
    static func restore(discardsInput: Bool = false) {
        let address = address.exchange(0, ordering: .sequentiallyConsistent)
        guard let terminal = UnsafePointer<Terminal>(bitPattern: address) else { return }
        writeToTerminal(TerminalSequence.leave, terminal.pointee.output)
        // In the background, the attributes are those of the shell, and setting them would stop the process.
        if tcgetpgrp(terminal.pointee.input) == getpgrp() {
            if discardsInput { tcflush(terminal.pointee.input, TCIFLUSH) }
            var attributes = terminal.pointee.attributes
            tcsetattr(terminal.pointee.input, TCSANOW, &attributes)
        }
        guard let errors = terminal.pointee.errors else { return }
        dup2(errors.original, STDERR_FILENO)
        // What was reported last may say why the process ends.
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            while case let count = read(errors.pipe, buffer.baseAddress, buffer.count), count > 0 {
                writeToTerminal(UnsafeRawBufferPointer(rebasing: buffer[..<count]), errors.original)
            }
        }
    }
}

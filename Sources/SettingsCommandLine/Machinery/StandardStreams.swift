import SettingsKit

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

/// The standard streams of the process, for ``SettingsCommand/run(_:input:output:errors:)``.
public enum StandardStreams {
    /// Reads standard input to its end.
    public static func read() throws -> Data { try read(STDIN_FILENO) }

    /// Reads a file or a pipe to its end, or to a number of bytes.
    package static func read(_ descriptor: Int32, upTo limit: Int = .max) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while data.count < limit {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { break }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
                continue
            }
            let error = errno == EAGAIN ? wait(for: POLLIN, on: descriptor) : errno
            if error != 0 && error != EINTR { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        }
        return data
    }

    /// Writes to standard output.
    ///
    /// Waits while the output accepts no more, even if the descriptor does not block. An empty text writes nothing, and checks
    /// whether the output is still read.
    ///
    /// - Throws: a `POSIXError`, with the code `EPIPE` if nothing reads the output any more. The process gets no signal then.
    public static func writeOutput(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error, as ``writeOutput(_:)`` does.
    public static func writeError(_ text: String) throws { try write(text, to: STDERR_FILENO) }

    package static func write(_ text: String, to descriptor: Int32) throws {
        var text = text
        if text.isEmpty { return try requireOpen(descriptor) }
        let error = withoutSignal(descriptor) {
            text.withUTF8 { bytes -> Int32 in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = systemWrite(descriptor, rest)
                    if count >= 0 {
                        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                        continue
                    }
                    let error = errno == EAGAIN ? wait(for: POLLOUT, on: descriptor) : errno
                    if error != 0 && error != EINTR { return error }
                }
                return 0
            }
        }
        if error != 0 { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    }

    /// - Returns: The error number; 0 if the next call says more.
    private static func wait(for event: Int32, on descriptor: Int32) -> Int32 {
        var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&state, 1, -1) < 0 ? errno : 0
    }

    /// Fails if a descriptor is not open, or a pipe has no reader any more.
    private static func requireOpen(_ descriptor: Int32) throws {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        guard poll(&state, 1, 0) > 0 else { return }
        if state.revents & Int16(POLLNVAL) != 0 { throw POSIXError(.EBADF) }
        if state.revents & Int16(POLLERR | POLLHUP) != 0 { throw POSIXError(.EPIPE) }
    }

    /// Whether standard output is a terminal that shows colors, and the variable `NO_COLOR` does not forbid them.
    public static var outputHasColors: Bool {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) == 1 && value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
    }

    /// Whether standard error is a terminal, which shows how far a long operation is.
    public static var errorsAreTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The number of columns of the terminal that standard output is; 80 for anything else.
    public static var outputWidth: Int {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? max(40, Int(size.ws_col)) : TextLayout.width
    }

    private static func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Calls a function during which writing to a pipe without a reader is an error, and does not end the process.
    private static func withoutSignal<R>(_ descriptor: Int32, _ body: () -> R) -> R {
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
            return body()
        #else
            var pipe = sigset_t()
            var before = sigset_t()
            var pending = sigset_t()
            sigemptyset(&pipe)
            sigaddset(&pipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &pipe, &before)
            sigpending(&pending)
            let wasPending = sigismember(&pending, SIGPIPE) == 1
            let result = body()
            // The function's own signal is pending for this thread only. An earlier one stays.
            if !wasPending {
                var time = timespec()
                while sigtimedwait(&pipe, nil, &time) == SIGPIPE {}
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            return result
        #endif
    }
}

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

    static func read(_ descriptor: Int32) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count == 0 { return data }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else {
                try waitAfterFailure(descriptor, POLLIN)
            }
        }
    }

    /// Writes to standard output. Writing to a pipe that nothing reads throws from then on, and sends the process no signal.
    ///
    /// - Throws: a `POSIXError`, with the code `EPIPE` if nothing reads the output any more.
    public static func writeOutput(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error, as ``writeOutput(_:)`` does.
    public static func writeError(_ text: String) throws { try write(text, to: STDERR_FILENO) }

    static func write(_ text: String, to descriptor: Int32) throws {
        signal(SIGPIPE, SIG_IGN)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0 { try waitAfterFailure(descriptor, POLLOUT) } else { rest = rest.dropFirst(count) }
        }
    }

    /// Waits if a descriptor does not block and is not ready.
    ///
    /// - Throws: The error of the last call, if that has failed for another reason than a signal.
    private static func waitAfterFailure(_ descriptor: Int32, _ event: Int32) throws {
        let error = errno
        if error == EAGAIN {
            var state = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            poll(&state, 1, -1)
        } else if error != EINTR {
            throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
        }
    }

    /// The number of columns of the terminal that standard output is; 80 for anything else.
    public static var outputWidth: Int {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? max(40, Int(size.ws_col)) : TextLayout.width
    }
}

// The system's functions, whose names the functions above have.
private let systemRead = read as @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int
private let systemWrite = write as @Sendable (Int32, UnsafeRawPointer?, Int) -> Int

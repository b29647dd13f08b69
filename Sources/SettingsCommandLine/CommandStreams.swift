import Foundation
import SettingsKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a command reads and writes.
struct CommandStreams {
    /// The error that nothing reads the output any more.
    struct Closed: Error {}

    private let readInput: () throws -> Data
    private let output: (String) throws -> Void
    private let errors: (String) throws -> Void

    init(
        read: @escaping () throws -> Data, output: @escaping (String) throws -> Void,
        errors: @escaping (String) throws -> Void
    ) {
        readInput = read
        self.output = output
        self.errors = errors
    }

    /// All of the input.
    func read() throws -> Data { try readInput() }

    /// Writes text with its line break.
    ///
    /// - Throws: ``Closed``; a failure if the output cannot be written for another reason, such as a full disk.
    func print(_ text: String) throws {
        do {
            try output(text)
        } catch let error as POSIXError where error.code != .EPIPE {
            let reason = String(cString: strerror(error.code.rawValue))
            throw CommandFailure.failure("The output cannot be written: \(reason).")
        } catch {
            throw Closed()
        }
    }

    /// Writes a message, broken into lines of 80 columns. Messages never contain control characters.
    ///
    /// A message that cannot be written is lost: it changes neither what the command does nor its exit code.
    func report(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            TextLayout.columns(String(line)) <= TextLayout.width
                ? [String(line)] : TextLayout.wrapped(String(line), to: TextLayout.width)
        }
        var text = lines.map { TextLayout.escaped($0) }.joined(separator: "\n")
        if !text.hasSuffix("\n") { text += "\n" }
        do {
            try errors(text)
        } catch {
            // There is no other place for the message.
        }
    }
}

/// The standard streams of the process, for ``SettingsCommand/run(_:input:output:errors:)``.
public enum StandardStreams {
    /// Reads standard input to its end.
    public static func read() throws -> Data { try FileHandle.standardInput.readToEnd() ?? Data() }

    /// Writes to standard output.
    ///
    /// It waits while the output accepts no more for now, even if the descriptor does not block.
    ///
    /// - Throws: a `POSIXError`, with the code `EPIPE` if nothing reads the output any more. The process gets no signal then.
    public static func writeOutput(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error, as ``writeOutput(_:)`` does.
    public static func writeError(_ text: String) throws { try write(text, to: STDERR_FILENO) }

    package static func write(_ text: String, to descriptor: Int32) throws {
        var text = text
        let error = withoutSignal(descriptor) {
            text.withUTF8 { bytes -> Int32 in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = systemWrite(descriptor, rest)
                    if count >= 0 {
                        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                        continue
                    }
                    let error = errno == EAGAIN ? waitUntilWritable(descriptor) : errno
                    if error != 0 && error != EINTR { return error }
                }
                return 0
            }
        }
        if error != 0 { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    }

    /// - Returns: The error number; 0 if the next write says more.
    private static func waitUntilWritable(_ descriptor: Int32) -> Int32 {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, -1) < 0 ? errno : 0
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Calls a function during which a pipe that nothing reads is an error, and not the end of the process.
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
            // The signal that the function has raised waits for this thread alone. One from before stays.
            if !wasPending {
                var time = timespec()
                while sigtimedwait(&pipe, nil, &time) == SIGPIPE {}
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            return result
        #endif
    }
}

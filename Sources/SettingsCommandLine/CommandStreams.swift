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
    /// The error that no more can be written.
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
    func print(_ text: String) throws(Closed) {
        do {
            try output(text)
        } catch {
            throw Closed()
        }
    }

    /// Writes a message, broken into lines of 80 columns. Messages never contain control characters.
    func report(_ message: String) throws(Closed) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            TextLayout.columns(String(line)) <= TextLayout.width
                ? [String(line)] : TextLayout.wrapped(String(line), to: TextLayout.width)
        }
        var text = lines.map { TextLayout.escaped($0) }.joined(separator: "\n")
        if !text.hasSuffix("\n") { text += "\n" }
        do {
            try errors(text)
        } catch {
            throw Closed()
        }
    }
}

/// The standard streams of the process, for ``SettingsCommand/run(_:input:output:errors:)``.
public enum StandardStreams {
    /// Reads standard input to its end.
    public static func read() throws -> Data { try FileHandle.standardInput.readToEnd() ?? Data() }

    /// Writes to standard output.
    ///
    /// - Throws: an error if nothing reads it any more. The process gets no signal then.
    public static func writeOutput(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error.
    public static func writeError(_ text: String) throws { try write(text, to: STDERR_FILENO) }

    package static func write(_ text: String, to descriptor: Int32) throws {
        var text = text
        let error = withoutSignal(descriptor) {
            text.withUTF8 { bytes -> Int32 in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = systemWrite(descriptor, rest)
                    if count < 0 && errno == EINTR { continue }
                    if count < 0 { return errno }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
                return 0
            }
        }
        if error != 0 { throw CommandStreams.Closed() }
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

import CSettingsTestSupport
import Foundation
import Testing

/// A program in another process, which is killed when this object is released.
///
/// Foundation's `Process` ends, and its pipes do, only when everything has ended that has inherited their descriptors: any
/// program that was started at the same moment, such as a server that runs for minutes. This one inherits nothing but its three
/// streams, and is waited for by its number.
package final class Program: Sendable {
    package let processID: pid_t
    /// The exit status, or the negative number of the signal; nil while the program runs.
    private let result = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - output: The path of the file that its output goes to; its messages go nowhere.
    ///   - pipe: The end of a pipe that its output goes to instead; its messages go to those of the tests.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        output: String = "/dev/null", pipe: FileHandle? = nil
    ) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, flags)
        // Signals that a thread of the tests ignores or blocks reach the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let pipe {
            posix_spawn_file_actions_adddup2(&actions, pipe.fileDescriptor, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        try #require(csettingstest_close_others(&actions) == 0)
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, path, &actions, &attributes, &argv, &envp)
        try #require(error == 0, "\(path): \(String(cString: strerror(error)))")
        processID = pid
    }

    deinit { end() }

    /// Sends a signal, unless the program was waited for.
    package func send(_ signal: Int32) { result.withLock { if $0 == nil { kill(processID, signal) } } }

    /// Ends the program as `kill -9` does, and returns when it has ended.
    package func end() {
        send(SIGKILL)
        wait()
    }

    /// Waits for the end. The thread is kept meanwhile.
    ///
    /// - Returns: The exit status, or the negative number of the signal.
    @discardableResult
    package func wait() -> Int32 {
        if let result = result.withLock(\.self) { return result }
        var status: Int32 = 0
        var ended = waitpid(processID, &status, 0)
        while ended < 0, errno == EINTR { ended = waitpid(processID, &status, 0) }
        return result.withLock { result in
            // Another thread may have received the status.
            if ended == processID {
                let signal = status & 0x7F
                result = signal == 0 ? (status >> 8) & 0xFF : -signal
            }
            return result ?? -1
        }
    }

    /// Runs a program to its end.
    ///
    /// - Parameter directory: Where its output is kept meanwhile.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String], in directory: String
    ) throws -> (status: Int32, output: String) {
        let file = URL(fileURLWithPath: "\(directory)/output-\(UUID().uuidString)")
        let program = try Program(path, arguments, environment: environment, output: file.path)
        let status = program.wait()
        defer { unlink(file.path) }
        return (status, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}

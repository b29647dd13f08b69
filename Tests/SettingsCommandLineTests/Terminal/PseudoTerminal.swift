import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A process on a terminal of its own, and what that terminal shows.
final class PseudoTerminal: Sendable {
    private let controller: Int32
    private let device: Int32
    private let initial: termios
    let pid: pid_t
    private let emulator: Mutex<TerminalEmulator>
    private let output = Mutex("")
    /// Whether the process has ended and its number may be another one's.
    private let hasEnded = Mutex(false)

    /// Starts a program in a session of its own.
    ///
    /// - Parameters:
    ///   - environment: The whole environment.
    ///   - errors: Where standard error goes; nil for the terminal.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], columns: Int = 80, rows: Int = 24,
        errors: String? = nil
    ) throws {
        let name: String
        (controller, name) = try Self.open()
        device = Self.open(name)
        for descriptor in [controller, device] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
        var attributes = termios()
        tcgetattr(device, &attributes)
        initial = attributes
        emulator = Mutex(TerminalEmulator(columns: columns, rows: rows))
        pid = try Self.spawn(path, arguments, environment: environment, terminal: name, errors: errors)
        Thread.detachNewThread { self.readOutput() }
    }

    deinit {
        if !hasEnded.withLock(\.self) {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        close(controller)
        close(device)
    }

    private static func open(_ name: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(name, O_RDWR | O_NOCTTY)
        #else
            Darwin.open(name, O_RDWR | O_NOCTTY)
        #endif
    }

    #if canImport(Darwin)
        private static let newSession = Int16(POSIX_SPAWN_SETSID)

        private static func open() throws -> (controller: Int32, name: String) {
            let controller = posix_openpt(O_RDWR | O_NOCTTY)
            try #require(controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0)
            return (controller, String(cString: try #require(ptsname(controller))))
        }
    #else
        // Swift does not import the functions and constants of X/Open and GNU. These are Linux's own.
        private static let newSession: Int16 = 0x80

        private static func open() throws -> (controller: Int32, name: String) {
            let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
            let controller = open("/dev/ptmx")
            var (isLocked, number): (Int32, Int32) = (0, -1)
            try #require(controller >= 0)
            try #require(ioctl(controller, unlock, &isLocked) == 0 && ioctl(controller, getNumber, &number) == 0)
            return (controller, "/dev/pts/\(number)")
        }
    #endif

    /// Starts a program in a session of its own.
    ///
    /// - Parameters:
    ///   - terminal: The file for standard input and output.
    ///   - errors: The file for standard error; nil for that one.
    static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String], terminal: String, errors: String?
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // The first terminal that the leader of a session opens is the session's.
        posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        // Signals that a thread of the tests ignores or blocks reach the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
        // A view that runs for long would keep the pipes of other tests open.
        _ = closeOtherDescriptors(&actions)
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, path, &actions, &attributes, &argv, &envp)
        try #require(error == 0, "\(path): \(String(cString: strerror(error)))")
        return pid
    }

    private func readOutput() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var rest: [UInt8] = []
        while case let count = read(controller, &bytes, bytes.count), count > 0 {
            rest += bytes[..<count]
            // A character may arrive in two pieces.
            var end = rest.count
            while end > 0, end > rest.count - 4, String(validating: rest[..<end], as: UTF8.self) == nil { end -= 1 }
            let text = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeFirst(end)
            emulator.withLock { $0.feed(text) }
            output.withLock { $0 += text }
        }
    }

    // MARK: What a person does

    func type(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    func resize(columns: Int, rows: Int) {
        emulator.withLock { $0.screen = Screen(columns: columns, rows: rows) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    }

    // MARK: What a person sees

    var shown: TerminalEmulator { emulator.withLock { $0 } }
    /// All bytes that the process has written, as text.
    var written: String { output.withLock { $0 } }

    func waitFor(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isShown = try await eventually(within: 20) { shown.text.contains(text) }
        try #require(
            isShown, "\(text) is not shown, but\n\(shown.text)\n\(shown.normalText)", sourceLocation: sourceLocation)
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status, or the negative number of the signal.
    func status() async throws -> Int32 {
        var status: Int32 = 0
        let isOver = try await eventually { waitpid(pid, &status, WNOHANG) == pid }
        hasEnded.withLock { $0 = isOver }
        try #require(isOver, "the process does not end; it shows\n\(shown.text)")
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    /// Waits until the process is stopped.
    func untilStopped() async throws {
        var status: Int32 = 0
        let isStopped = try await eventually {
            waitpid(pid, &status, WNOHANG | WUNTRACED) == pid && status & 0xFF == 0x7F
        }
        try #require(isStopped, "the process is not stopped")
    }

    /// Whether the terminal has the modes that it had before the process.
    var isRestored: Bool {
        var attributes = termios()
        tcgetattr(device, &attributes)
        let isSame = [
            attributes.c_iflag == initial.c_iflag, attributes.c_oflag == initial.c_oflag,
            attributes.c_cflag == initial.c_cflag, attributes.c_lflag == initial.c_lflag,
            withUnsafeBytes(of: attributes.c_cc) { one in
                withUnsafeBytes(of: initial.c_cc) { one.elementsEqual($0) }
            },
        ]
        let shown = shown
        return !isSame.contains(false) && !shown.isAlternate && shown.isWrapping && shown.showsCursor
            && !shown.marksPastes
            && shown.style.isEmpty
    }

    /// Whether keys arrive one by one, without an echo.
    var isRaw: Bool {
        var attributes = termios()
        tcgetattr(device, &attributes)
        return attributes.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }
}

/// How a program without a terminal has ended, and what it has written.
///
/// Foundation's `Process` waits for all processes that have inherited its descriptors: a view that another test has started
/// at the same moment, or the server of tmux.
struct ProgramResult {
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program.
    ///
    /// - Parameter directory: Where its output is kept meanwhile.
    init(of path: String, _ arguments: [String], environment: [String: String], in directory: URL) throws {
        let (output, errors) = (Self.newFile(in: directory), Self.newFile(in: directory))
        defer { for file in [output, errors] { unlink(file.path) } }
        let pid = try PseudoTerminal.spawn(
            path, arguments, environment: environment, terminal: output.path, errors: errors.path)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        self.status = (status >> 8) & 0xFF
        self.output = try String(contentsOf: output, encoding: .utf8)
        self.errors = try String(contentsOf: errors, encoding: .utf8)
    }

    private static func newFile(in directory: URL) -> URL {
        let file = directory.appendingPathComponent("output-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        return file
    }
}

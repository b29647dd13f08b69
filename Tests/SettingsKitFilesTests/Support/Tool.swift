import Foundation

/// A program that not every machine has.
///
/// A test that needs it says so with `.enabled(if: Tool.rsync.isInstalled, "rsync is not installed")`.
struct Tool: Sendable {
    static let rsync = Tool("rsync")
    static let unison = Tool("unison")
    static let syncthing = Tool("syncthing")

    let name: String
    /// Where it was found on the search path; nil where it is not installed.
    let path: String?

    var isInstalled: Bool { path != nil }

    init(_ name: String) {
        self.name = name
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        path = directories.lazy.map { "\($0)/\(name)" }.first { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
                && FileManager.default.isExecutableFile(atPath: path)
        }
    }

    /// Starts it, with `environment` on top of the environment of the tests.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningTool {
        guard let path else { throw ToolError("\(name) is not installed") }
        return try RunningTool(name: name, path: path, arguments: arguments, environment: environment)
    }

    /// Runs it to its end. It is killed when the time is over, or when the task is cancelled.
    func run(
        _ arguments: [String], environment: [String: String] = [:], within seconds: Double = 60
    ) async throws -> ToolResult {
        let running = try start(arguments, environment: environment)
        do {
            let status = try await running.status(within: seconds)
            return ToolResult(status: status, output: running.output)
        } catch {
            running.killAndWait()
            throw error
        }
    }
}

/// How a program ended, and what it wrote.
struct ToolResult: Sendable {
    /// The exit status; the negative number of the signal, if that ended it.
    var status: Int32
    /// What it wrote to standard output and to standard error, in the order in which it did.
    var output: String
}

/// Why a program did not do what it was to do.
struct ToolError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A program that was started. It is killed when it is let go of.
final class RunningTool: Sendable {
    /// The exit status, or the negative number of the signal, from the end on. What waits for the end keeps only this.
    private final class Ending: Sendable {
        let status = Mutex<Int32?>(nil)
    }

    let name: String
    private let process = Mutex<Process?>(nil)
    private let pid: pid_t
    private let ending: Ending
    private let file: OutputFile

    fileprivate init(name: String, path: String, arguments: [String], environment: [String: String]) throws {
        let ending = Ending()
        let file = try OutputFile()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file.handle
        process.standardError = file.handle
        process.terminationHandler = { process in
            let status = process.terminationStatus
            let isSignal = process.terminationReason == .uncaughtSignal
            ending.status.withLock { $0 = isSignal ? -status : status }
        }
        try process.run()
        self.name = name
        self.ending = ending
        self.file = file
        pid = process.processIdentifier
        self.process.withLock { $0 = process }
    }

    deinit { killAndWait() }

    /// What it has written so far, to standard output and to standard error.
    var output: String { file.text }

    /// The exit status, or the negative number of the signal that ended it; nil while it runs.
    var status: Int32? { ending.status.withLock { $0 } }

    /// Waits for the end.
    ///
    /// - Returns: the exit status, or the negative number of the signal that ended it.
    func status(within seconds: Double) async throws -> Int32 {
        try await wait(within: seconds, for: "\(name) to end", details: output) { status != nil }
        return status ?? 0
    }

    /// Sends a signal, unless it has ended.
    func send(_ signal: Int32) {
        ending.status.withLock { status in
            guard status == nil else { return }
            // Foundation on Linux makes a process group of it, so that what it has started is reached as well.
            if kill(-pid, signal) != 0 { kill(pid, signal) }
        }
    }

    /// Kills it, and waits until it is gone: a moment, and two seconds at the most.
    func killAndWait() {
        let end = ContinuousClock.now + .seconds(2)
        while status == nil, ContinuousClock.now < end {
            send(SIGKILL)
            usleep(2_000)
        }
    }
}

/// A file without a name that takes what a program writes: other than a pipe it never fills up.
private final class OutputFile: Sendable {
    let handle: FileHandle

    init() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError("\(path): \(String(cString: strerror(errno)))") }
        unlink(path)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// All that is in it. The file's offset, which the program shares, stays where it is.
    var text: String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = pread(handle.fileDescriptor, &buffer, buffer.count, off_t(bytes.count)), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Waits until a condition holds, without keeping a thread.
///
/// - Parameters:
///   - what: what it waits for, for the error's text.
///   - details: what is worth knowing when the time is over.
/// - Throws: `ToolError` when the time is over; `CancellationError`; what `condition` throws.
func wait(
    within seconds: Double, for what: String, details: @autoclosure () -> String = "",
    until condition: () async throws -> Bool
) async throws {
    if try await eventually(within: seconds, condition) { return }
    throw ToolError("waited \(seconds) seconds in vain for \(what)\n\(details())")
}

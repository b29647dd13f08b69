import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Another process, which runs a command of `settings-test-worker`. It is killed when this object is released.
final class Worker: Sendable {
    private let process = Mutex<Process?>(nil)
    private let pid: pid_t
    private let end: AsyncStream<Int32>
    /// What it says, line by line, until it ends.
    let lines: AsyncStream<String>

    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    private init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        // A thread of its own: the tests' pool has few, and a readability handler is not safe to have removed in time.
        let output = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
        self.lines = lines
        let (end, ending) = AsyncStream.makeStream(of: Int32.self)
        self.end = end
        process.terminationHandler = { process in
            ending.yield(process.terminationStatus)
            ending.finish()
        }
        try process.run()
        pid = process.processIdentifier
        self.process.withLock { $0 = process }
    }

    deinit { kill(pid, SIGKILL) }

    /// `settings-test-worker`, which is built beside the tests.
    private static func executable() throws -> URL {
        let places = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
        let found = places.map { place in
            URL(fileURLWithPath: place).deletingLastPathComponent().appendingPathComponent("settings-test-worker")
        }
        return try #require(found.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }

    var processID: pid_t { pid }

    /// Where the executable is.
    static func path() throws -> String { try executable().path }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Waits for a line.
    func wait(for line: String) async {
        for await next in lines where next == line { return }
        Issue.record("\(line) was not said")
    }

    /// Waits for the end.
    ///
    /// - Returns: the exit status, or the signal.
    @discardableResult
    func status() async -> Int32 {
        for await status in end { return status }
        return -1
    }

    /// Does something in another process, and waits for its end.
    static func run(_ arguments: String...) async throws {
        let worker = try Worker(arguments)
        #expect(await worker.status() == 0)
    }
}

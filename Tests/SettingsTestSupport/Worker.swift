import Foundation
import Testing

/// Another process, which runs a command of `settings-test-worker`. It is killed when this object is released.
package final class Worker: Sendable {
    private let program: Program
    /// Its output, line by line, until it ends.
    package let lines: AsyncStream<String>

    package convenience init(_ arguments: String...) throws { try self.init(arguments) }

    package init(_ arguments: [String]) throws {
        let pipe = Pipe()
        // Other processes that are started at the same time must not inherit the end that is written.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        program = try Program(Self.path(), arguments, pipe: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        pipe.readLines {
            continuation.yield($0)
        } onEnd: {
            continuation.finish()
        }
        self.lines = lines
    }

    /// `settings-test-worker`, which is built beside the tests.
    package static func path() throws -> String {
        let places = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
        let found = places.map { place in
            URL(fileURLWithPath: place).deletingLastPathComponent().appendingPathComponent("settings-test-worker")
        }
        return try #require(found.map(\.path).first(where: FileManager.default.isExecutableFile))
    }

    package var processID: pid_t { program.processID }

    package func send(_ signal: Int32) { program.send(signal) }

    /// Waits until it has stopped itself: a signal that continues it earlier is lost.
    package func hasStopped() async throws {
        try await until {
            var info = siginfo_t()
            return waitid(P_PID, id_t(processID), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
        }
    }

    /// Waits for a line.
    package func wait(for line: String) async {
        for await next in lines where next == line { return }
        Issue.record("\(line) was not said")
    }

    /// Waits for the end.
    ///
    /// - Returns: the exit status, or the negative number of the signal.
    @discardableResult
    package func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [program] in continuation.resume(returning: program.wait()) }
        }
    }

    /// Kills a worker that prints the number of each change it has made, somewhere behind the first lines of its output.
    ///
    /// - Returns: the last number that it printed: the change that it acknowledged last.
    package func runUntilKilled(afterLines lineCount: Int) async -> Int {
        var rest = lineCount
        var acknowledged = 0
        for await line in lines {
            acknowledged = Int(line) ?? -1
            rest -= 1
            if rest == 0 { send(SIGKILL) }
        }
        #expect(rest <= 0, "the worker has ended by itself")
        return acknowledged
    }

    /// Does something in another process, and waits for its end.
    package static func run(_ arguments: String...) async throws {
        let status = try await Worker(arguments).status()
        #expect(status == 0)
    }
}

extension Pipe {
    /// Calls `body` with each line that is written to the pipe, until nothing can write any more.
    package func readLines(_ body: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void = {}) {
        // A thread of its own: the tests' pool has few, and a readability handler is not safe to have removed in time.
        let output = fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    body(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            onEnd()
        }
    }
}

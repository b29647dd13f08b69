import Foundation
import Synchronization

/// A copy of the program, and the delays that it has reported.
final class Copy: Sendable {
    private let process: Mutex<Process?>
    private let input = Pipe()
    /// The delay of each round in nanoseconds.
    let delays = Mutex<[Int: Int]>([:])
    let isReady = Atomic(false)

    init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["copy"] + arguments
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        self.process = Mutex(process)
        let handle = output.fileHandleForReading
        Thread.detachNewThread { [self] in
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
    }

    private func take(_ line: String) {
        if line == "ready" { return isReady.store(true, ordering: .releasing) }
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        if numbers.count == 2 { delays.withLock { $0[numbers[0]] = numbers[1] } }
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.withLock { $0 }?.waitUntilExit()
    }
}

#if !(os(macOS) || os(Linux))
    /// In the place of Foundation's, so that this compiles: phones and watches let a program start no other one.
    final class Process: Sendable {
        let processIdentifier: Int32 = 0
        var executableURL: URL? {
            get { nil }
            set {}
        }
        var arguments: [String]? {
            get { nil }
            set {}
        }
        var environment: [String: String]? {
            get { nil }
            set {}
        }
        var standardInput: Any? {
            get { nil }
            set {}
        }
        var standardOutput: Any? {
            get { nil }
            set {}
        }
        var standardError: Any? {
            get { nil }
            set {}
        }

        func run() throws { throw CocoaError(.featureUnsupported) }

        func waitUntilExit() {}
    }
#endif

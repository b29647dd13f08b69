import Foundation
import Synchronization

/// A device that runs in another process.
final class DeviceProcess {
    let name: String
    let sharedFolder: URL
    private let process = Process()
    private let input = Pipe()
    private let answers = Answers()

    /// The messages of the device.
    private final class Answers: Sendable {
        let hasPlayed = Atomic(false)
        let reports = Mutex<[Report]>([])

        func take(_ message: Message) {
            switch message {
            case .hasPlayed: hasPlayed.store(true, ordering: .releasing)
            case .report(let report): reports.withLock { $0.append(report) }
            }
        }
    }

    struct DoesNotAnswer: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) does not answer." }
    }

    init(name: String, home: URL, seed: UInt64) throws {
        self.name = name
        sharedFolder = home.appendingPathComponent("Shared")
        try FileManager.default.createDirectory(at: sharedFolder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["device", name, home.path, "\(seed)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let (lines, answers) = (output.fileHandleForReading, answers)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = lines.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let message = try? JSONDecoder().decode(Message.self, from: rest[..<end])
                    if let message { answers.take(message) }
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
    }

    var hasPlayed: Bool { answers.hasPlayed.load(ordering: .acquiring) }

    /// Makes the device synchronize, and returns its state.
    func report() throws -> Report {
        try input.fileHandleForWriting.write(contentsOf: Data("report\n".utf8))
        let deadline = Date().addingTimeInterval(10)
        while Date() < deadline {
            if let report = answers.reports.withLock({ $0.popLast() }) { return report }
            Thread.sleep(forTimeInterval: 0.005)
        }
        throw DoesNotAnswer(name: name)
    }

    /// Ends the device in order, or terminates it if it does not end.
    func end() {
        try? input.fileHandleForWriting.close()
        let deadline = Date().addingTimeInterval(5)
        while process.isRunning, Date() < deadline { Thread.sleep(forTimeInterval: 0.005) }
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}

#if !(os(macOS) || os(Linux))
    /// In the place of Foundation's, so that this compiles: phones and watches let a program start no other one.
    private final class Process {
        var executableURL: URL?
        var arguments: [String]?
        var (standardInput, standardOutput): (Any?, Any?)
        let isRunning = false

        func run() throws { throw CocoaError(.featureUnsupported) }
        func terminate() {}
        func waitUntilExit() {}
    }
#endif

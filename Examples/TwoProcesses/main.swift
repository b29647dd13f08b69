// Several processes write and observe the same settings, while some of them are killed. Run it with
//
//     swift run TwoProcesses
//
// The program starts copies of itself. Each reports its stored values on a pipe. In the end, all reported values must be
// stored.

import Foundation
import SettingsKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SettingsService.SettingDefinition {
    /// The number of updates by all processes.
    static let total = Setting<Int>("total", in: .defaults, default: 0)
    /// The time of the last change of this setting, in nanoseconds of the clock that all processes of a machine share.
    static let sign = Setting<Int>("sign", in: .defaults, default: 0)
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func own(_ name: String) -> Setting<Int> { Setting<Int>(name, in: .defaults, default: 0) }

// MARK: A copy

/// Writes a line at once, because a kill loses unwritten output.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Notices the end of standard input.
final class Input: Sendable {
    let hasEnded = Atomic(false)

    func awaitEnd() {
        _ = FileHandle.standardInput.readDataToEndOfFile()
        hasEnded.store(true, ordering: .relaxed)
    }
}

/// Writes until the process is killed, or its input ends.
func runCopy(_ path: String, name: String) throws {
    let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
    let subscription = settings.observe(.sign) { change in
        if change.origin == .external { say("received \(now() - change.newValue)") }
    }
    let input = Input()
    Thread.detachNewThread { input.awaitEnd() }
    var count = settings.get(own(name))
    while !input.hasEnded.load(ordering: .relaxed) {
        count += 1
        try settings.save(own(name), to: count)
        try settings.save { $0.update(.total) { $0 += 1 } }
        say("stored \(count)")
        if count % 10 == 0 { try settings.save(.sign, to: now()) }
        usleep(2_000)
    }
    subscription.cancel()
}

// MARK: The program

/// The reports of the copies.
struct Report {
    /// The highest number that each copy has reported as stored.
    var stored: [String: Int] = [:]
    /// The number of updates that were reported as stored.
    var updates = 0
    /// The times from changes to listeners in other processes, in nanoseconds.
    var delays: [Int] = []

    mutating func take(_ line: Substring, from name: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { return }
        if words[0] == "received" { return delays.append(number) }
        stored[name] = number
        updates += 1
    }
}

/// The reports so far.
final class Reports: Sendable {
    let report = Mutex(Report())
}

/// A copy of this program.
final class Copy {
    private let process = Process()
    private let input = Pipe()
    private let reading = DispatchGroup()

    init(_ path: String, name: String, reports: Reports) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [path, name]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let handle = output.fileHandleForReading
        DispatchQueue.global().async(group: reading) {
            let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            reports.report.withLock { report in
                for line in text.split(separator: "\n") { report.take(line, from: name) }
            }
        }
    }

    /// Ends the copy in order, or kills it. Returns when all of its output was read.
    func end(killing: Bool) {
        if killing {
            kill(process.processIdentifier, SIGKILL)
        } else {
            input.fileHandleForWriting.closeFile()
        }
        process.waitUntilExit()
        reading.wait()
    }
}

/// Starts four copies, and repeatedly kills one of them and starts another in its place.
///
/// - Returns: whether nothing was lost.
func runAll(_ path: String) throws -> Bool {
    print("Look at the two numbers of each process: what it reported as stored, and what is stored after four seconds.")
    let names = ["Ann", "Bob", "Cleo", "Dan"]
    let reports = Reports()
    var copies = try names.map { try Copy(path, name: $0, reports: reports) }
    var kills = 0
    let end = Date().addingTimeInterval(4)
    while Date() < end {
        usleep(.random(in: 50_000...250_000))
        let index = Int.random(in: 0..<copies.count)
        copies[index].end(killing: true)
        kills += 1
        copies[index] = try Copy(path, name: names[index], reports: reports)
    }
    for copy in copies { copy.end(killing: false) }

    let report = reports.report.withLock { $0 }
    let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
    let lost = names.filter { settings.get(own($0)) < report.stored[$0, default: 0] }
    let total = settings.get(.total)
    print("\(names.count) processes wrote \(path)")
    print("\(kills) times, one of them was killed with SIGKILL and another started in its place")
    for name in names {
        print("  \(name): reported \(report.stored[name, default: 0]), stored \(settings.get(own(name)))")
    }
    print("updates of one counter: reported \(report.updates), stored \(total)")
    print("  (a process can be killed after an update is stored and before it is reported: at most \(kills) times)")
    let delays = report.delays.sorted()
    if !delays.isEmpty {
        let (median, rare) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
        print("other processes received a change after \(median / 1_000) µs, 99 % within \(rare / 1_000) µs")
    }
    let isCounted = (report.updates...report.updates + kills).contains(total)
    print(lost.isEmpty && isCounted ? "Nothing was lost." : "LOST: \(lost) \(isCounted ? "" : "and updates")")
    return lost.isEmpty && isCounted
}

if CommandLine.arguments.count == 3 {
    try runCopy(CommandLine.arguments[1], name: CommandLine.arguments[2])
} else {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("TwoProcesses-\(getpid())")
    let isSound = try runAll(folder.appendingPathComponent("Settings.plist").path)
    try FileManager.default.removeItem(at: folder)
    exit(isSound ? 0 : 1)
}

#if !(os(macOS) || os(Linux))
    /// In the place of Foundation's, so that this compiles: phones and watches let a program start no other one.
    final class Process {
        let processIdentifier: Int32 = 0
        var (executableURL, arguments): (URL?, [String]?)
        var (standardInput, standardOutput): (Any?, Any?)

        func run() throws { throw CocoaError(.featureUnsupported) }

        func waitUntilExit() {}
    }
#endif

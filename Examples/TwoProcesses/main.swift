// Several processes write the same settings and listen to each other, while some of them are killed. Run it with
//
//     swift run TwoProcesses
//
// It starts copies of itself. Each says on a pipe what it was told is stored; in the end, all of that must be there.

import Foundation
import SettingsKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SettingsService.SettingDefinition {
    /// How often anybody has written.
    static let total = Setting<Int>("total", in: .defaults, default: 0)
    /// When the last sign was given, in nanoseconds of the clock that all processes of a machine share.
    static let sign = Setting<Int>("sign", in: .defaults, default: 0)
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func own(_ name: String) -> Setting<Int> { Setting<Int>(name, in: .defaults, default: 0) }

// MARK: A copy

/// Writes a line at once: what a process has not written when it is killed, nobody reads.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Tells when there is no more input.
final class Input: Sendable {
    let hasEnded = Atomic(false)

    func awaitEnd() {
        _ = FileHandle.standardInput.readDataToEndOfFile()
        hasEnded.store(true, ordering: .relaxed)
    }
}

/// Writes until it is killed, or told to end by the end of its input.
func runCopy(_ path: String, name: String) throws {
    let settings = SettingsService(defaults: try PropertyListStore(url: URL(fileURLWithPath: path)))
    let subscription = settings.observe(.sign) { change in
        if change.origin == .external { say("heard \(now() - change.newValue)") }
    }
    let input = Input()
    Thread.detachNewThread { input.awaitEnd() }
    var count = settings.get(own(name))
    while !input.hasEnded.load(ordering: .relaxed) {
        count += 1
        try settings.save(own(name), to: count)
        _ = try settings.update(.total) { (total: inout Int) throws in total += 1 }
        say("stored \(count)")
        if count % 10 == 0 { try settings.save(.sign, to: now()) }
        usleep(2_000)
    }
    subscription.cancel()
}

// MARK: The one that starts and kills them

/// What copies have said.
struct Report {
    /// The highest number that each of them was told is stored.
    var stored: [String: Int] = [:]
    /// How often anybody was told that an update is stored.
    var updates = 0
    /// How long signs took, in nanoseconds.
    var delays: [Int] = []

    mutating func take(_ line: Substring, from name: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { return }
        if words[0] == "heard" { return delays.append(number) }
        stored[name] = number
        updates += 1
    }
}

/// Everything that was said.
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

    /// Has it end in order, or kills it. Returns when all that it said was read.
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

/// Starts four copies, kills one of them now and then, and starts another in its place.
///
/// - Returns: whether nothing was lost.
func runAll(_ path: String) throws -> Bool {
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
    print("\(kills) of them were killed with SIGKILL, at any moment, and others started in their place")
    for name in names {
        print("  \(name): told of \(report.stored[name, default: 0]), stored \(settings.get(own(name)))")
    }
    print("acknowledged updates of one counter: \(report.updates); its value: \(total)")
    print(
        "  (more only by updates that were stored, and their process killed before it could say so: at most \(kills))")
    let delays = report.delays.sorted()
    if !delays.isEmpty {
        let (median, rare) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
        print("a change was heard by the others after \(median / 1_000) µs (median), \(rare / 1_000) µs (99 %),")
        print("  \(delays.count) times")
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

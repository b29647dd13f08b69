import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// A disk with a directory for a log, and the processes that use it.
struct LogBench {
    static let base = "/home/State"
    static let path = base + "-log"
    let disk: SimulatedDisk

    init(capacity: Int? = nil) throws {
        disk = SimulatedDisk(capacity: capacity)
        try disk.makeDirectory("/home")
        disk.synchronizeAll()
    }

    init(copyOf disk: SimulatedDisk) { self.disk = SimulatedDisk(copyOf: disk) }

    /// Opens the log in another process.
    func open(
        _ process: SimulatedProcess? = nil, isReadOnly: Bool = false, trust: Duration = .zero
    ) throws -> SettingsLog {
        var setup = SettingsLog.Setup(
            base: Self.base, fileSystem: process ?? disk.process(), description: "the log", patience: .milliseconds(20),
            trust: trust)
        setup.isReadOnly = isReadOnly
        return try SettingsLog(setup)
    }

    var bytes: Data { disk.contents(of: Self.path) ?? Data() }
    var files: [String] { disk.names(in: "/home").sorted() }
}

extension SettingsLog {
    fileprivate func set(_ values: [String: String?]) throws {
        let changes = values.sorted { $0.key < $1.key }.map { LogChange(name: $0, data: $1.map { Data($0.utf8) }) }
        try write { _ in [.changes(LogChanges(changes: changes))] }
        deliver()
    }

    fileprivate func set(_ name: String, _ value: String?) throws { try set([name: value]) }

    fileprivate var values: [String: String] {
        withContents { contents in
            Dictionary(
                uniqueKeysWithValues: contents.names.map {
                    ($0, String(decoding: contents.data(named: $0)!, as: UTF8.self))
                })
        }
    }
}

@Suite("A log", .ownThreads)
struct SettingsLogTests {
    @Test("Reading begins no log; the first write does")
    func begin() throws {
        let bench = try LogBench()
        let log = try bench.open()
        #expect(log.values.isEmpty && bench.files.isEmpty)
        try log.flush()
        try log.compact(waiting: .zero)
        #expect(bench.files.isEmpty)
        try log.set("a", "1")
        #expect(bench.files == ["State-lock", "State-log"])
        #expect(try bench.open().values == ["a": "1"])
    }

    @Test("A process reads on what others append, and tells the changes once")
    func readOn() throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open())
        let recorder = Recorder<String>()
        let token = other.feed.observe { changes, origin in
            for change in changes { recorder.append("\(change.name) \(origin)") }
        }
        defer { token.cancel() }
        try one.set("a", "1")
        #expect(!other.isCurrent && other.values.isEmpty)
        try other.update()
        other.deliver()
        try other.set("b", "1")
        #expect(other.isCurrent && other.values == ["a": "1", "b": "1"])
        try one.set(["a": nil, "c": "2"])
        try other.update()
        other.deliver()
        #expect(one.values == ["b": "1", "c": "2"] && other.values == one.values)
        #expect(recorder.all == ["a external", "b local", "a external", "c external"])
    }

    @Test("Compaction leaves a line for each value, and the other processes read the new log")
    func compaction() throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open())
        for number in 0..<1_000 { try one.set("a", "\(number)") }
        try one.set(["b": "1", "c": "2"])
        try one.set("b", nil)
        try other.update()
        let counts = (one.loadCount, other.loadCount)
        #expect(other.needsCompaction && !other.mustCompact)
        try one.compact(waiting: .zero)
        // The removal, too: a property list may show the value.
        #expect(logLines(Array(bench.bytes)).count == 4 && !one.needsCompaction)
        #expect(bench.files == ["State-lock", "State-log"])
        try other.set("d", "1")
        try one.update()
        #expect(one.values == ["a": "999", "c": "2", "d": "1"] && other.values == one.values)
        #expect(one.loadCount == counts.0 && other.loadCount == counts.1 + 1)
    }

    /// What other programs, and people, do with a log that is open.
    enum Interference: CaseIterable {
        case removed, replaced, hardLink, lockRemoved

        func apply(_ bench: LogBench, _ old: Data) throws {
            switch self {
            case .removed: try bench.disk.remove(LogBench.path)
            case .replaced: try bench.disk.replace(LogBench.path, with: old)
            case .lockRemoved: try bench.disk.remove(LogBench.base + "-lock")
            case .hardLink:
                try bench.disk.process().link(LogBench.path, as: "/home/backup")
                try bench.disk.replace(LogBench.path, with: old)
            }
        }
    }

    @Test("A log that is removed is written again, and one that is put back is read", arguments: Interference.allCases)
    func interference(kind: Interference) throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open())
        try one.set("a", "1")
        let old = bench.bytes
        try one.set("b", "1")
        try other.update()
        try kind.apply(bench, old)
        try one.set("c", "1")
        try other.set("d", "1")
        try one.update()
        var expected = ["a": "1", "b": "1", "c": "1", "d": "1"]
        if kind == .replaced || kind == .hardLink { expected["b"] = nil }
        #expect(one.values == expected && other.values == expected)
        #expect(try bench.open().values == expected)
    }

    @Test(
        "A process that does not look at the path notices a new log all the same, also if the old one has a second name",
        arguments: [true, false])
    func trust(hasSecondName: Bool) throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open(trust: .seconds(86_400)))
        try other.set("a", "1")
        if hasSecondName { try bench.disk.process().link(LogBench.path, as: "/home/backup") }
        try one.compact(waiting: .zero)
        try other.set("b", "1")
        try one.update()
        #expect(one.values == ["a": "1", "b": "1"] && other.values == one.values)
        #expect(try bench.open().values == one.values)
    }

    @Test(
        "What is set in a log that has lost its first line stays, also if the process dies before it writes a new log",
        arguments: ["empty", "zeros", "torn", "damaged"])
    func withoutBeginning(how: String) throws {
        let bench = try LogBench()
        try bench.open().set("a", "1")
        var bytes = bench.bytes
        switch how {
        case "empty": bytes = Data()
        case "zeros": bytes = Data(count: 9)
        case "torn": bytes = bytes.prefix(30)
        default: bytes[3] ^= 1
        }
        try bench.disk.replace(LogBench.path, with: bytes)
        let expected = how == "damaged" ? ["a": "1", "b": "1"] : ["b": "1"]
        try bench.open().set("b", "1")
        let log = try bench.open()
        #expect(log.values == expected && log.mustCompact)
        try log.compact(waiting: .zero)
        #expect(try bench.open().values == expected)
    }

    @Test("Damage that is read on is reported, and the new log has what was read before")
    func damageReadOn() throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open())
        try one.set("a", "1")
        try other.update()
        let problems = Recorder<SettingsError.Code>()
        let token = other.feed.observeErrors { problems.append($0.code) }
        defer { token.cancel() }
        try bench.disk.write(bench.bytes + "{}\n".utf8, to: LogBench.path)
        try one.set("b", "1")
        try other.update()
        other.deliver()
        #expect(other.values == ["a": "1", "b": "1"] && other.mustCompact && problems.all == [.damaged])
        try other.compact(waiting: .zero)
        #expect(!other.mustCompact && problems.all == [.damaged])
        #expect(try bench.open().values == ["a": "1", "b": "1"])
    }

    @Test("If several lines are appended in part, a reader that has seen the first of them misses nothing afterwards")
    func partialAppend() throws {
        let bench = try LogBench(capacity: 20_000)
        let process = bench.disk.process()
        let (log, reader) = (try bench.open(process), try bench.open())
        try log.set("a", "1")
        try reader.update()
        let first = LogLine.changes(LogChanges(changes: [LogChange(name: "b", data: Data("1".utf8))]))
        let long = "\"\(String(repeating: "x", count: 30_000))\""
        let second = LogLine.changes(LogChanges(changes: [LogChange(name: "c", data: Data(long.utf8))]))
        // Another process reads on when a part is written.
        process.beforeEachCall { call, _ in if call == "write" { HeldLocks.excepting { try? reader.update() } } }
        #expect(throws: SystemError.self) { try log.write { _ in [first, second] } }
        process.beforeEachCall(nil)
        bench.disk.capacity = nil
        try log.set("d", long)
        try reader.update()
        #expect(reader.values == log.values && reader.values["d"] == long && !reader.mustCompact)
        #expect(try bench.open().values == log.values)
    }

    @Test("On a full disk, damage leaves no incomplete copies")
    func fullDiskAndDamage() throws {
        let bench = try LogBench()
        try bench.open().set("a", "\"\(String(repeating: "x", count: 30_000))\"")
        try bench.disk.write(bench.bytes + "{}\n".utf8, to: LogBench.path)
        let log = try bench.open()
        bench.disk.capacity = 50_000
        for _ in 0..<3 { #expect(throws: SystemError.self) { try log.compact(waiting: .zero) } }
        #expect(bench.files == ["State-lock", "State-log"])
        bench.disk.capacity = nil
        try log.compact(waiting: .zero)
        #expect(bench.files.count == 3 && log.values.keys.sorted() == ["a"])
    }

    @Test("Another program's file, a newer log, a link and a directory are refused, and stay as they are")
    func refused() throws {
        let newer = Data(checkedLogLine("\"settings\":\"log\",\"version\":2"))
        let cases: [(LogProblem, (LogBench) throws -> Void)] = [
            (.foreign, { try $0.disk.write(Data("hello, world!".utf8), to: LogBench.path) }),
            (.newerVersion(2), { try $0.disk.write(newer, to: LogBench.path) }),
            (.symbolicLink, { try $0.disk.makeLink(LogBench.path, to: "elsewhere") }),
            (.notAFile, { try $0.disk.makeDirectory(LogBench.path) }),
        ]
        for (problem, prepare) in cases {
            let bench = try LogBench()
            try prepare(bench)
            let before = bench.bytes
            #expect(throws: problem) { try bench.open() }
            // A process that is running already meets it, too.
            let other = try LogBench()
            let log = try other.open()
            try log.set("a", "1")
            try other.disk.remove(LogBench.path)
            try prepare(other)
            #expect(throws: problem) { try log.set("b", "1") }
            #expect(log.values == ["a": "1"] && bench.bytes == before && other.bytes == before)
        }
    }

    @Test(
        "On a small volume, a value can be set without end: by one process, and by one process for each value",
        arguments: [300_000, 1_000_000], [false, true])
    func smallVolume(capacity: Int, isOneProcess: Bool) throws {
        let bench = try LogBench(capacity: capacity)
        try bench.open().set("b", "1")
        let one = try bench.open()
        let filling = String(repeating: "x", count: 5_000)
        let count = capacity / 5_000 * 3
        for number in 1...count {
            let log = try isOneProcess ? one : bench.open()
            try log.set("a", "\"\(number)\(filling)\"")
            // At its end.
            if !isOneProcess, log.needsCompaction { try log.compactIfFree() }
        }
        #expect(try bench.open().values == ["a": "\"\(count)\(filling)\"", "b": "1"])
    }

    @Test("A log takes no room that a new log needs; values can always be removed, and then others be set")
    func lastRoom() throws {
        let bench = try LogBench(capacity: 200_000)
        let log = try bench.open()
        let long = "\"\(String(repeating: "x", count: 20_000))\""
        var count = 0
        while count < 10, (try? log.set("\(count)", long)) != nil { count += 1 }
        #expect(count == 4)
        let error = #expect(throws: SystemError.self) { try log.set("more", long) }
        #expect(error?.number == ENOSPC)
        #expect(throws: Never.self) { try log.compact(waiting: .zero) }
        for number in 0..<count { try log.set("\(number)", nil) }
        try log.set("more", long)
        #expect(try bench.open().values == ["more": long])
    }

    @Test("On a volume that may not be local, the log is opened again while it is locked", arguments: [true, false])
    func remoteVolume(isLocal: Bool) throws {
        let bench = try LogBench()
        let fileSystem = FaultyFileSystem(over: bench.disk.process())
        fileSystem.isLocal.value = isLocal
        let log = try SettingsLog(
            .init(base: LogBench.base, fileSystem: fileSystem, description: "the log", trust: .seconds(60)))
        try log.set("a", "1")
        fileSystem.set(.none)
        try log.set("a", "2")
        let calls = fileSystem.calls
        let lock = try #require(calls.firstIndex(of: .lock))
        #expect(calls[lock...].contains(.openForReading) == !isLocal)
        #expect(try bench.open().values == ["a": "2"])
    }
}

/// What happens to the process that uses a log, at each of its calls.
@Suite("Calls of a log fail, and processes die", .ownThreads)
struct LogCrashTests {
    private static let steps: [[String: String?]] = [
        ["a": "1"], ["b": "2", "c": "3"], ["a": nil, "d": "4"], ["b": "\"x\""], ["a": "5", "e": "6"],
    ]

    @Test("A failed flush is never reported as a success: the log is written anew")
    func failedFlush() throws {
        for number in 0..<20 {
            let bench = try LogBench()
            let process = bench.disk.process()
            let log = try bench.open(process)
            let other = try bench.open()
            try log.set("a", "1")
            try other.update()
            process.set(.once(number, errno: EIO))
            do { try log.flush() } catch {}
            process.set(.none)
            try other.flush()
            bench.disk.powerFailure(seed: UInt64(number))
            #expect(try bench.open().values == ["a": "1"], "call \(number)")
        }
    }
}

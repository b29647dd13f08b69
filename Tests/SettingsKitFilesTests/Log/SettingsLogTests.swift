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

    @Test("A decision sees everything that others have written, and may refuse")
    func decision() throws {
        let bench = try LogBench()
        let (one, other) = (try bench.open(), try bench.open())
        try one.set("a", "1")
        let before = bench.bytes
        #expect(try !other.write { $0.data(named: "a") == nil ? [] : nil })
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try other.write { _ in throw Refusal() } }
        #expect(try other.write { _ in [] })
        #expect(bench.bytes == before)
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
        case removed, replaced, shortened, hardLink

        func apply(_ bench: LogBench, _ old: Data) throws {
            switch self {
            case .removed: try bench.disk.remove(LogBench.path)
            case .replaced, .shortened:
                try bench.disk.replace(LogBench.path, with: old)
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
        let expected = kind == .removed ? ["a": "1", "b": "1", "c": "1", "d": "1"] : ["a": "1", "c": "1", "d": "1"]
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

    @Test("A line without an end is cut by the next write, and the one before it stays")
    func tornEnd() throws {
        let bench = try LogBench()
        try bench.open().set("a", "1")
        let whole = bench.bytes
        let line = LogLine.failedFlush.bytes
        for size in 1..<line.count {
            try bench.disk.replace(LogBench.path, with: whole + line.prefix(size))
            let log = try bench.open()
            #expect(log.values == ["a": "1"] && !log.mustCompact)
            try log.set("b", "1")
            #expect(try bench.open().values == ["a": "1", "b": "1"])
            #expect(logLines(Array(bench.bytes)).count == 3)
        }
    }

    @Test(
        "The intact lines of a damaged log are used; a copy of it is kept, and a new log replaces it",
        arguments: [0, 1, 2, 3])
    func damage(line: Int) throws {
        let bench = try LogBench()
        let log = try bench.open()
        for name in ["a", "b", "c"] { try log.set(name, "1") }
        var lines = bench.bytes.split(separator: UInt8(ascii: "\n")).map { $0 + [UInt8(ascii: "\n")] }
        lines[line][lines[line].startIndex + lines[line].count - 12] ^= 1
        let damaged = Data(lines.joined())
        try bench.disk.replace(LogBench.path, with: damaged)
        var expected = ["a": "1", "b": "1", "c": "1"]
        if line > 0 { expected[["a", "b", "c"][line - 1]] = nil }
        let again = try bench.open()
        #expect(again.values == expected && again.mustCompact)
        try again.compact(waiting: .zero)
        #expect(!again.mustCompact && again.values == expected)
        #expect(try bench.open().values == expected)
        let copy = try #require(bench.files.first { $0.hasPrefix("State-log.damaged-") })
        #expect(bench.files.count == 3 && bench.disk.contents(of: "/home/\(copy)") == damaged)
    }

    @Test(
        "An empty log and one of zeros are damaged",
        arguments: [Data(), Data(count: 9), Data(LogLine.magic.utf8.prefix(9))])
    func noBeginning(bytes: Data) throws {
        let bench = try LogBench()
        try bench.disk.write(bytes, to: LogBench.path)
        let log = try bench.open()
        #expect(log.values.isEmpty && log.mustCompact)
        try log.compact(waiting: .zero)
        try log.set("a", "1")
        #expect(try bench.open().values == ["a": "1"])
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

    @Test("Damage is reported while no lock is held, also if a flush finds it")
    func reportOfDamage() throws {
        let bench = try LogBench()
        let log = try bench.open()
        try log.set("a", "1")
        try bench.disk.write(bench.bytes + "{}\n".utf8, to: LogBench.path)
        let wereLocksHeld = Recorder<Bool>()
        let token = log.feed.observeErrors { _ in wereLocksHeld.append(HeldLocks.areHeld) }
        defer { token.cancel() }
        try log.flush()
        log.deliver()
        #expect(wereLocksHeld.all == [false])
    }

    @Test(
        "The files of a log belong to the user whose directory it is, when root's program makes them",
        .enabled(if: Program.isRoot))
    func owner() throws {
        try withTemporaryDirectory { directory in
            try #require(chown(directory, 65_534, 65_533) == 0)
            let base = directory + "/new/State"
            let log = try SettingsLog(.init(base: base, fileSystem: POSIXFileSystem(), description: "the log"))
            try log.set("a", "1")
            for path in [directory + "/new", base + "-log", base + "-lock"] {
                var status = stat()
                #expect(lstat(path, &status) == 0 && status.st_uid == 65_534 && status.st_gid == 65_533, "\(path)")
            }
        }
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

    @Test("A log that is removed is written again by a compaction, too", arguments: [true, false])
    func compactionWithoutLog(isDamaged: Bool) throws {
        let bench = try LogBench()
        try bench.open().set("a", "1")
        if isDamaged { try bench.disk.write(bench.bytes + "{}\n".utf8, to: LogBench.path) }
        let log = try bench.open()
        try bench.disk.remove(LogBench.path)
        try log.compact(waiting: .zero)
        #expect(!log.mustCompact && log.values == ["a": "1"])
        #expect(try bench.open().values == ["a": "1"])
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

    @Test("A log that was just compacted is not to be compacted again", arguments: ["names", "data", "members"])
    func compactedOnce(how: String) throws {
        let bench = try LogBench()
        let log = try bench.open()
        let text = String(repeating: "\u{1}", count: 1_000)
        for number in 0..<50 {
            let name = "\(how == "names" ? text : "")\(number)"
            let change = LogChange(name: name, data: Data((how == "data" ? text : "1").utf8))
            var line = LogChanges(changes: [change], stamp: LogStamp(milliseconds: 1, replica: 1))
            if how == "members" {
                line.unknownMembers = Array("\"m\":\"\(String(repeating: "m", count: 1_000))\"".utf8)
            }
            try log.write { _ in [.changes(line)] }
        }
        try log.compact(waiting: .zero)
        #expect(!log.needsCompaction)
        #expect(try !bench.open().needsCompaction)
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

    @Test("While another process keeps the lock, a change is refused, and reading goes on")
    func busy() throws {
        let bench = try LogBench()
        let log = try bench.open()
        try log.set("a", "1")
        let process = bench.disk.process()
        let lock = try process.openOrCreate(LogBench.base + "-lock").file
        #expect(try process.lock(lock))
        #expect { try log.set("a", "2") } throws: { ($0 as? SettingsError)?.code == .busy }
        #expect(log.values == ["a": "1"])
        try log.update()
        process.kill()
        try log.set("a", "2")
        // The lock file is not what it was: another program has removed it.
        try bench.disk.remove(LogBench.base + "-lock")
        try log.set("a", "3")
        #expect(try bench.open().values == ["a": "3"])
    }

    @Test("A log that is only read keeps changes in memory")
    func readOnly() throws {
        let bench = try LogBench()
        let reader = try bench.open(isReadOnly: true)
        try reader.set("a", "1")
        #expect(reader.values == ["a": "1"] && bench.files.isEmpty)
        let writer = try bench.open()
        try writer.set("b", "1")
        try reader.set("c", "1")
        #expect(reader.values["b"] == "1" && reader.values["c"] == "1")
        #expect(try bench.open().values == ["b": "1"])
    }

    @Test("A full disk refuses changes, and takes them again when there is room")
    func fullDisk() throws {
        let bench = try LogBench(capacity: 20_000)
        let log = try bench.open()
        try log.set("a", "1")
        let long = "\"\(String(repeating: "x", count: 30_000))\""
        #expect(throws: SystemError.self) { try log.set("b", long) }
        #expect(log.values == ["a": "1"])
        #expect(try bench.open().values == ["a": "1"])
        bench.disk.capacity = nil
        try log.set("b", long)
        #expect(try bench.open().values == ["a": "1", "b": long])
    }
}

/// What happens to the process that uses a log, at each of its calls.
@Suite("Calls of a log fail, and processes die", .ownThreads)
struct LogCrashTests {
    private static let steps: [[String: String?]] = [
        ["a": "1"], ["b": "2", "c": "3"], ["a": nil, "d": "4"], ["b": "\"x\""], ["a": "5", "e": "6"],
    ]

    @Test("What was written stays, and what was flushed survives a power failure", arguments: Mishap.all)
    func mishaps(mishap: Mishap) throws {
        struct World {
            let bench: LogBench
            /// The values after each step that may be in the log; the first ones that must be there.
            var possible: [[String: String]] = [[:]]
            var log: SettingsLog?
        }
        let count = try mishap.atEveryCall {
            let bench = try LogBench()
            return (bench.disk, World(bench: bench))
        } work: { world, process, comment in
            let log: SettingsLog
            do { log = try world.bench.open(process) } catch { log = try world.bench.open(process) }
            world.log = log
            for (index, step) in Self.steps.enumerated() {
                var next = world.possible.last!
                for (name, value) in step { next[name] = value }
                if !mishap.isFailure { world.possible.append(next) }
                do {
                    try log.set(step)
                    if mishap.isFailure { world.possible = [next] }
                    if !mishap.isFailure, !mishap.isPowerFailure { world.possible = [next] }
                } catch {
                    // A call that fails changes nothing.
                    #expect(!mishap.isFailure || log.values == world.possible.last!, comment)
                    if !mishap.isFailure { throw error }
                }
                do {
                    if index == 1 || index == 3 { try log.flush() }
                    if index == 2 || index == 4 { try log.compact(waiting: .zero) }
                    if index > 0 { world.possible = [world.possible.last!] }
                } catch {
                    if !mishap.isFailure { throw error }
                }
                if mishap.isFailure {
                    #expect(log.values == world.possible.last!, comment)
                    #expect(try world.bench.open().values == log.values, comment)
                }
            }
        } check: { world, comment in
            let found = try world.bench.open()
            #expect(world.possible.contains(found.values), comment)
            #expect(!found.mustCompact || mishap.isPowerFailure || mishap.isFailure, comment)
            // Everything works afterwards.
            try found.set("z", "1")
            try found.compact(waiting: .zero)
            try found.flush()
            var values = found.values
            values["z"] = nil
            #expect(world.possible.contains(values), comment)
            // A power failure may damage the log, of which a copy is kept.
            let files = world.bench.files.filter { !mishap.isPowerFailure || !$0.contains(".damaged-") }
            #expect(files == ["State-lock", "State-log"], comment)
            world.bench.disk.powerFailure(seed: 1)
            #expect(try world.bench.open().values == found.values, comment)
        }
        #expect(count > 30)
    }

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

import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@Suite("The simulated disk")
struct SimulatedDiskTests {
    /// Something that processes do, and all that a power failure may leave of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcomes: Set<[String: String]>
        let prepare: @Sendable (SimulatedDisk, SimulatedProcess) throws -> Void

        init(
            _ description: String, _ outcomes: Set<[String: String]>,
            _ prepare: @escaping @Sendable (SimulatedDisk, SimulatedProcess) throws -> Void
        ) {
            (testDescription, self.outcomes, self.prepare) = (description, outcomes, prepare)
        }
    }

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static func zeros(_ count: Int) -> String { String(repeating: "\0", count: count) }

    private static let cases = [
        Case("flushed bytes and names survive", [["file": "contents"]]) { disk, process in
            try process.make("/file", "contents", isFlushed: true)
            try process.synchronizeDirectory("/")
            _ = try process.lock(process.openForAppending("/file"))
        },
        Case("flushing a file does not flush its name", [["file": "contents"], [:]]) { disk, process in
            try process.make("/file", "contents", isFlushed: true)
        },
        Case(
            "flushing a directory does not flush its files",
            [["file": "contents"], ["file": ""], ["file": zeros(8)]]
        ) { disk, process in
            try process.make("/file", "contents")
            try process.synchronizeDirectory("/")
        },
        Case(
            "each sector of a write survives or not",
            Set(
                [[], [x(512)], [x(512), zeros(188)], [zeros(512), x(188)], [x(700)], [zeros(700)]].map {
                    ["file": $0.joined()]
                })
        ) { disk, process in
            let file = try process.create("/file")
            try process.synchronizeDirectory("/")
            try process.write(x(700), to: file)
        },
        Case(
            "a file that was cut off may be as long as before",
            [["file": "123456"], ["file": "123"], ["file": "123x"], ["file": "123x56"], ["file": "123\0"]]
        ) { disk, process in
            try disk.write(Data("123456".utf8), to: "/file")
            disk.synchronizeAll()
            let file = try process.openForAppending("/file")
            try process.truncate(file, to: 3)
            try process.write("x", to: file)
        },
        Case(
            "a renaming happens completely or not at all, and a later one may survive an earlier one",
            [
                ["a": "a", "b": "b", "c": "c"], ["a": "b", "c": "c"], ["a": "a", "b": "b", "d": "c"],
                ["a": "b", "d": "c"],
            ]
        ) { disk, process in
            for name in ["a", "b", "c"] { try disk.write(Data(name.utf8), to: "/\(name)") }
            disk.synchronizeAll()
            try process.rename("/b", to: "/a")
            try process.rename("/c", to: "/d")
        },
        Case("a removed file may return", [["file": "contents"], [:]]) { disk, process in
            try disk.write(Data("contents".utf8), to: "/file")
            disk.synchronizeAll()
            try process.remove("/file")
        },
        Case("a failed flush is not repaired by one that succeeds", [["file": "old \0\0\0\0\0new"]]) { disk, process in
            try disk.write(Data("old ".utf8), to: "/file")
            disk.synchronizeAll()
            let file = try process.openForAppending("/file")
            let other = try process.openForAppending("/file")
            try process.write("lost ", to: file)
            process.set(.once(0, errno: EIO))
            // It is reported to the other opening, too, once.
            for (file, number) in [(file, EIO), (file, 0), (other, EIO), (other, 0)] {
                #expect(errorNumber { try process.synchronize(file) } == number)
            }
            #expect(disk.contents(of: "/file") == Data("old lost ".utf8))
            try process.write("new", to: file)
            try process.synchronize(file)
        },
        Case("lost writes are reported once to each opening", [["file": "\0"], ["file": ""]]) { disk, process in
            try process.make("/file", "1")
            try process.synchronizeDirectory("/")
            let file = try process.openForAppending("/file")
            try disk.failWriteBack(of: "/file")
            let later = try process.openForAppending("/file")
            for (file, number) in [(later, 0), (file, EIO), (file, 0)] {
                #expect(errorNumber { try process.synchronize(file) } == number)
            }
        },
        Case("a directory that could not be flushed can be flushed later", [["file": ""]]) { disk, process in
            try process.make("/file")
            process.set(.once(0, errno: EIO))
            for number in [EIO, 0] { #expect(errorNumber { try process.synchronizeDirectory("/") } == number) }
        },
    ]

    private func files(_ disk: SimulatedDisk) -> [String: String] {
        var files: [String: String] = [:]
        for name in disk.names(in: "/") {
            files[name] = disk.contents(of: "/" + name).map { String(decoding: $0, as: UTF8.self) }
        }
        return files
    }

    @Test("A power failure loses only what was not flushed, in every possible way", arguments: cases)
    func powerFailure(of testCase: Case) throws {
        let disk = SimulatedDisk()
        let process = disk.process()
        try testCase.prepare(disk, process)
        var found: Set<[String: String]> = []
        for seed in 0..<200 as Range<UInt64> {
            let copy = SimulatedDisk(copyOf: disk)
            copy.powerFailure(seed: seed)
            found.insert(files(copy))
            copy.powerFailure(seed: seed + 1)
            #expect(found.contains(files(copy)))
        }
        #expect(found.isSubset(of: testCase.outcomes))
        let listed = disk.powerFailures(for: ["a", "b", "c", "d", "file"], in: "/")
        #expect(Set(listed.map(\.identity)).count == listed.count)
        #expect(Set(listed.map { files($0.disk()) }) == testCase.outcomes)
        disk.powerFailure(seed: 1)
        #expect(process.isDead && !disk.isLocked("/file"))
    }

    @Test("A new directory is lost with everything in it, although that was flushed")
    func directory() throws {
        let disk = SimulatedDisk()
        let process = disk.process()
        try process.createDirectory("/d")
        try process.make("/d/file", "contents", isFlushed: true)
        try process.synchronizeDirectory("/d")
        let outcomes = (0..<100 as Range<UInt64>).map { seed in
            let copy = SimulatedDisk(copyOf: disk)
            copy.powerFailure(seed: seed)
            return copy.contents(of: "/d/file")
        }
        #expect(Set(outcomes) == [nil, Data("contents".utf8)])
    }

    @Test(
        "A process dies before, in the middle of or after a write, loses its lock, and does nothing from then on",
        arguments: [
            (SimulatedProcess.Fault.death(1), "begin "), (.partialDeath(1), "begin 12"), (.deathAfter(1), "begin 1234"),
        ])
    func death(fault: SimulatedProcess.Fault, contents: String) throws {
        let disk = SimulatedDisk()
        let (process, other) = (disk.process(), disk.process())
        let file = try process.create("/file")
        let copy = try other.openForReading("/file")
        try process.write("begin ", to: file)
        process.set(fault)
        #expect(try process.lock(file) && !other.lock(copy) && !process.isDead)
        #expect(errorNumber { try process.write("1234", to: file) } == EIO)
        process.set(.none)
        #expect(errorNumber { try process.remove("/file") } == EIO)
        #expect(process.isDead && process.callCount == 1)
        #expect(files(disk) == ["file": contents])
        #expect(try other.lock(copy))
    }

    @Test("A write that does not fit writes what fits; the next fails, until an open file is removed and closed")
    func capacity() throws {
        let disk = SimulatedDisk(capacity: 10)
        let process = disk.process()
        try process.make("/first", "12345")
        let first = try process.openForReading("/first")
        let file = try process.create("/second")
        #expect(try process.write("1234567", to: file) == 5)
        try process.remove("/first")
        #expect(errorNumber { try process.write("8", to: file) } == ENOSPC)
        process.close(first)
        #expect(try process.write("678901", to: file) == 5)
        disk.capacity = nil
        #expect(try process.write("1", to: file) == 1)
    }
}

#if os(Linux)
    /// On other systems some of the error numbers differ.
    @Suite("The simulated disk and the machine's file system")
    struct SimulatedDiskAgreementTests {
        @Test("They answer the same random calls alike, errors included", arguments: Rounds.seeds(0..<60, part: 20))
        func agree(seed: UInt64) throws {
            try withTemporaryDirectory { root in
                let disk = SimulatedDisk()
                try disk.makeDirectory("/root")
                for (name, target) in [
                    ("la", "a"), ("ld", "d"), ("lb", "d/b"), ("none", "d/nothing"), ("loop", "loop"),
                ] {
                    try disk.makeLink("/root/\(name)", to: target)
                    try link("\(root)/\(name)", to: target)
                }
                var real = RandomCaller(POSIXFileSystem(), root: root, seed: seed)
                var simulated = RandomCaller(disk.process(), root: "/root", seed: seed)
                defer { real.closeAll() }
                for step in 0..<600 {
                    let actual = simulated.step()
                    // A process that another test starts at this moment keeps the locks of files that were closed here until it
                    // runs its program.
                    real.patience = actual.hasSuffix("true") ? .seconds(5) : .zero
                    let expected = real.step()
                    try #require(actual == expected, "seed \(seed), step \(step)")
                }
            }
        }
    }

    /// Makes random calls, the same ones for the same seed and the same answers.
    private struct RandomCaller {
        private static let directories = ["/d", "/e", "/d/e"]
        private static let files = [
            "/a", "/b", "/c", "/d/a", "/d/b", "/e/a", "/e/d", "/d/e/a", "/a/b", "/la", "/ld", "/lb", "/none", "/loop",
            "/ld/a", "/loop/a", "/missing/a", "//d//a",
        ]

        private let system: any FileSystem
        private let root: String
        /// The time to wait for a lock.
        var patience = Duration.zero
        private var generator: SeededGenerator
        private var files: [SettingsKitPlatform.FileHandle] = []

        init(_ system: any FileSystem, root: String, seed: UInt64) {
            (self.system, self.root, generator) = (system, root, SeededGenerator(seed: seed))
        }

        func closeAll() { for file in files { system.close(file) } }

        /// Makes a call, and describes it and its result.
        mutating func step() -> String {
            let directory = Self.directories.randomElement(using: &generator) ?? ""
            let file = Self.files.randomElement(using: &generator) ?? ""
            let target = Self.files.randomElement(using: &generator) ?? ""
            let other = (Self.files + Self.directories).randomElement(using: &generator) ?? ""
            let small = Int.random(in: 0..<40, using: &generator)
            let index = Int.random(in: 0..<12, using: &generator)
            let call = Int.random(in: 0..<21, using: &generator)
            let outcome: String
            do {
                outcome =
                    call < 11
                    ? try callByPath(call, [directory, file, target, other].map { root + $0 })
                    : index < files.count ? try callOnFile(call, index, small) : "no such file"
            } catch {
                outcome = "error \((error as? SystemError)?.number ?? -1)"
            }
            return "call \(call), \(directory), \(file), \(target), \(other), file \(index), \(small): \(outcome)"
        }

        /// - Parameter paths: One for a new directory, two of what is no directory, because the simulated disk renames none, and
        ///   any one.
        private mutating func callByPath(_ call: Int, _ paths: [String]) throws -> String {
            let (directory, file, target, other) = (paths[0], paths[1], paths[2], paths[3])
            switch call {
            case 0, 1: return description(try system.status(of: other, followingLink: call == 0))
            case 2: return try system.destination(ofLink: other)
            case 3: try keep(system.openForReading(other, followingLink: true))
            case 4: try keep(system.create(other))
            case 5: try keep(system.openForAppending(other))
            case 6: try system.rename(file, to: target)
            case 7: try system.link(other, as: file)
            case 8: try system.remove(other)
            case 9: return "\(try system.createDirectory(directory))"
            default: return try system.names(inDirectory: other).sorted().joined(separator: " ")
            }
            return "done"
        }

        private mutating func keep(_ file: SettingsKitPlatform.FileHandle) {
            files.append(file)
            if files.count > 12 { system.close(files.removeFirst()) }
        }

        private mutating func callOnFile(_ call: Int, _ index: Int, _ small: Int) throws -> String {
            let file = files[index]
            switch call {
            case 11: return description(try system.status(of: file))
            case 12: return "\(try system.read(file, at: nil, count: small))"
            case 13: return "\(try system.read(file, at: Int64(small), count: 10))"
            case 14, 15: return "\(try system.write(String(repeating: "\(small)", count: small), to: file))"
            case 16: try system.truncate(file, to: Int64(small))
            case 17, 18:
                return "\(try system.lock(file, waiting: patience))"
            case 19: system.unlock(file)
            default: system.close(files.remove(at: index))
            }
            return "done"
        }

        /// The size of a directory, and how many names it has, depend on the file system.
        private func description(_ status: FileStatus?) -> String {
            guard let status else { return "nothing" }
            return status.kind == .directory ? "directory" : "\(status.kind), \(status.size), \(status.linkCount)"
        }
    }
#endif

extension FileSystem {
    /// Writes once, as far as the call goes.
    @discardableResult
    fileprivate func write(_ text: String, to file: SettingsKitPlatform.FileHandle) throws -> Int {
        try Array(text.utf8).withUnsafeBytes { try write($0, to: file) }
    }

    /// Reads once.
    fileprivate func read(_ file: SettingsKitPlatform.FileHandle, at offset: Int64?, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = try bytes.withUnsafeMutableBytes { buffer in
            guard let offset else { return try read(file, into: buffer) }
            return try read(file, at: offset, into: buffer)
        }
        return [UInt8](bytes.prefix(length))
    }

    /// Makes a file with a text in it.
    fileprivate func make(_ path: String, _ text: String = "", isFlushed: Bool = false) throws {
        let file = try create(path)
        defer { close(file) }
        try write(text, to: file)
        if isFlushed { try synchronize(file) }
    }
}

/// The number of the error that `body` throws; 0 if it throws none.
private func errorNumber(_ body: () throws -> Void) -> Int32 {
    do {
        try body()
        return 0
    } catch {
        return (error as? SystemError)?.number ?? -1
    }
}

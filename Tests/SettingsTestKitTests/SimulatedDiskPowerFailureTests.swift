import Foundation
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("The simulated disk, when the power fails")
struct SimulatedDiskPowerFailureTests {
    /// What is left after the same preparation and power failures with different seeds.
    private func outcomes<Outcome: Hashable>(
        _ seeds: Range<UInt64> = 0..<200, prepare: (SimulatedDisk, SimulatedProcess) throws -> Void,
        look: (SimulatedDisk) throws -> Outcome
    ) throws -> [Outcome: Int] {
        var outcomes: [Outcome: Int] = [:]
        for seed in seeds {
            let disk = SimulatedDisk()
            let process = disk.process()
            try prepare(disk, process)
            disk.powerFailure(seed: seed)
            #expect(process.isDead)
            outcomes[try look(disk), default: 0] += 1
        }
        return outcomes
    }

    @Test("Bytes and names that were synchronized survive, and so does what was open")
    func synchronized() throws {
        let found = try outcomes { _, process in
            try process.createDirectory("/d")
            try process.synchronizeDirectory("/")
            try process.make("/d/file", "contents", synchronized: true)
            try process.synchronizeDirectory("/d")
            let file = try process.openForAppending("/d/file")
            #expect(try process.lock(file))
        } look: { disk in
            let process = disk.process()
            let isLocked = try process.lock(process.openForReading("/d/file"))
            #expect(isLocked)
            return text(disk.contents(of: "/d/file"))
        }
        #expect(found == ["contents": 200])
    }

    @Test("Synchronizing a file does not synchronize its name, nor a directory what is in its files")
    func separately() throws {
        let named = try outcomes { _, process in
            try process.make("/file", "contents", synchronized: true)
        } look: {
            text($0.contents(of: "/file"))
        }
        #expect(Set(named.keys) == ["contents", nil])
        let filled = try outcomes { _, process in
            try process.make("/file", "contents")
            try process.synchronizeDirectory("/")
        } look: {
            text($0.contents(of: "/file"))
        }
        #expect(Set(filled.keys) == ["contents", "", String(repeating: "\0", count: 8)])
    }

    @Test("Of a write, each sector survives or not, and the file may be longer than what survived")
    func sectors() throws {
        let synchronized = [UInt8](repeating: 1, count: 700)
        let found = try outcomes(0..<400) { _, process in
            let file = try process.create("/file")
            try process.write(synchronized, to: file)
            try process.synchronize(file)
            try process.synchronizeDirectory("/")
            try process.write([UInt8](repeating: 2, count: 1_000), to: file)
        } look: { disk in
            [UInt8](disk.contents(of: "/file") ?? Data())
        }
        #expect(found.keys.allSatisfy { $0.starts(with: synchronized) && $0.count <= 1_700 })
        #expect(found[synchronized] != nil)
        #expect(found[synchronized + [UInt8](repeating: 2, count: 1_000)] != nil)
        // The first sector was lost, a later one was not: 324 bytes are left to the boundary of the sector.
        #expect(found.keys.contains { $0.count > 1_024 && $0[700..<1_024].allSatisfy { $0 == 0 } && $0[1_024] == 2 })
        #expect(found.keys.contains { $0.count == 1_700 && $0[700...].allSatisfy { $0 == 0 } })
    }

    @Test("A file that was cut off may be as long as before")
    func truncation() throws {
        let found = try outcomes { disk, process in
            try disk.write(Data("123456".utf8), to: "/file")
            disk.synchronizeAll()
            let file = try process.openForAppending("/file")
            try process.truncate(file, to: 3)
            try process.write("x", to: file)
        } look: {
            text($0.contents(of: "/file"))
        }
        #expect(found.keys.contains("123456") && found.keys.contains("123") && found.keys.contains("123x"))
        #expect(found.keys.contains("123x56"))
    }

    @Test("A renaming within a directory is done whole or not at all, and a later one may survive an earlier one")
    func renaming() throws {
        let found = try outcomes { disk, process in
            for name in ["first", "second", "third"] { try disk.write(Data(name.utf8), to: "/\(name)") }
            disk.synchronizeAll()
            try process.rename("/second", to: "/first")
            try process.rename("/third", to: "/fourth")
        } look: { disk in
            disk.names(in: "/").map { "\($0): \(text(disk.contents(of: "/\($0)")) ?? "")" }.joined(separator: ", ")
        }
        #expect(
            Set(found.keys) == [
                "first: first, second: second, third: third", "first: second, third: third",
                "first: first, fourth: third, second: second", "first: second, fourth: third",
            ])
    }

    @Test("A file that was removed may be there again, with all it had")
    func removal() throws {
        let found = try outcomes { disk, process in
            try disk.write(Data("contents".utf8), to: "/file")
            disk.synchronizeAll()
            try process.remove("/file")
            // Nothing that happens elsewhere may take it away for good.
            try process.createDirectory("/d")
            try process.synchronizeDirectory("/d")
        } look: {
            text($0.contents(of: "/file"))
        }
        #expect(Set(found.keys) == ["contents", nil])
    }

    @Test("A new directory goes with everything in it, whatever of that was synchronized")
    func directory() throws {
        let found = try outcomes { _, process in
            try process.createDirectory("/d")
            try process.make("/d/file", "contents", synchronized: true)
            try process.synchronizeDirectory("/d")
        } look: {
            text($0.contents(of: "/d/file"))
        }
        #expect(Set(found.keys) == ["contents", nil])
    }

    @Test("A directory that was moved has one name at most")
    func movedDirectory() throws {
        let found = try outcomes { disk, process in
            for directory in ["/a", "/b", "/a/d"] { try process.createDirectory(directory) }
            try disk.write(Data("contents".utf8), to: "/a/d/file")
            disk.synchronizeAll()
            try process.rename("/a/d", to: "/b/d")
        } look: { disk in
            disk.names(in: "/a") + disk.names(in: "/b")
                + (text(disk.contents(of: "/b/d/../../b/d/file")).map { [$0] } ?? [])
        }
        #expect(found.keys.allSatisfy { $0.count { $0 == "d" } <= 1 })
        #expect(found.keys.contains(["d", "contents"]) && found.keys.contains(["d"]))
    }

    @Test("A synchronization that has failed is not made good by one that succeeds", arguments: [true, false])
    func failedSynchronization(ofWholeDisk: Bool) throws {
        let found = try outcomes { disk, process in
            try disk.write(Data("old ".utf8), to: "/file")
            disk.synchronizeAll()
            let file = try process.openForAppending("/file")
            try process.write("lost ", to: file)
            if ofWholeDisk { disk.failWrites(with: EIO) } else { process.set(.once(0, errno: EIO)) }
            #expect(try errorNumber { try process.synchronize(file) } == EIO)
            disk.failWrites(with: nil)
            try process.synchronize(file)
            #expect(text(disk.contents(of: "/file")) == "old lost ")
            try process.write("new", to: file)
            try process.synchronize(file)
        } look: {
            text($0.contents(of: "/file"))
        }
        #expect(found == ["old \0\0\0\0\0new": 200])
    }

    @Test("A directory that could not be synchronized can be later")
    func failedSynchronizationOfDirectory() throws {
        let found = try outcomes { _, process in
            try process.make("/file")
            process.set(.once(0, errno: EIO))
            #expect(try errorNumber { try process.synchronizeDirectory("/") } == EIO)
            try process.synchronizeDirectory("/")
        } look: {
            $0.names(in: "/")
        }
        #expect(found == [["file"]: 200])
    }

    @Test("The same calls and the same seed leave the same", arguments: 0..<20 as Range<UInt64>)
    func determinism(seed: UInt64) throws {
        let found = try (0..<3).map { _ in
            try outcomes(seed..<seed + 1) { _, process in
                for name in 0..<8 { try process.make("/\(name)", String(repeating: "x", count: 2_000)) }
                try process.rename("/3", to: "/4")
            } look: { disk in
                disk.names(in: "/").map { [$0, text(disk.contents(of: "/\($0)")) ?? ""] }
            }
        }
        #expect(Set(found).count == 1)
    }

    @Test("After one power failure there can be another, and what it left is not lost by it")
    func twice() throws {
        let disk = SimulatedDisk()
        for seed in 0..<100 as Range<UInt64> {
            let process = disk.process()
            try process.make("/\(seed)", "contents")
            disk.powerFailure(seed: seed)
            let names = disk.names(in: "/")
            disk.powerFailure(seed: seed + 1_000)
            #expect(disk.names(in: "/") == names)
        }
        #expect(disk.names(in: "/").count > 10)
    }

    @Test("A power failure leaves one of the listed disks, apart from zeros at the end of files")
    func listed() throws {
        let names = ["file", "other"]
        func look(_ disk: SimulatedDisk) -> [String?] {
            names.map { name in
                text(disk.contents(of: "/" + name)).map { String($0.reversed().drop { $0 == "\0" }.reversed()) }
            }
        }
        let disk = SimulatedDisk()
        let process = disk.process()
        try process.make("/file", "old", synchronized: true)
        try process.synchronizeDirectory("/")
        try process.make("/new", "new", synchronized: true)
        try process.write(" end", to: process.openForAppending("/new"))
        try process.link("/file", as: "/kept")
        try process.rename("/new", to: "/file")
        try process.rename("/kept", to: "/other")
        let listed = disk.powerFailures(for: names, in: "/")
        #expect(Set(listed.map(\.identity)).count == listed.count)
        let possible = Set(listed.map { look($0.disk()) })
        // The old file or the new one, with or without its end; the old file also under the other name, or no file there.
        #expect(possible == Set(["old", "new", "new end"].flatMap { [[$0, nil], [$0, "old"]] }))
        for seed in 0..<200 as Range<UInt64> {
            let copy = SimulatedDisk(copyOf: disk)
            copy.powerFailure(seed: seed)
            #expect(possible.contains(look(copy)), "seed \(seed)")
        }
    }

    @Test("A process announces each call before it makes it")
    func announced() throws {
        let disk = SimulatedDisk()
        let process = disk.process()
        let calls = Recorder<String>()
        process.beforeEachCall { name, path in calls.append("\(name) \(path) \(disk.isLocked("/file"))") }
        let file = try process.create("/file")
        #expect(try process.lock(file))
        process.unlock(file)
        process.close(file)
        #expect(calls.all == ["open /file false", "flock /file false", "unlock /file true"])
    }
}

import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("The simulated disk")
struct SimulatedDiskTests {
    private let disk = SimulatedDisk()

    // MARK: Files

    @Test("A removed or replaced file stays readable for a process that has it open")
    func openWithoutName() throws {
        let process = disk.process()
        try process.make("/old", "old")
        try process.make("/new", "new")
        let file = try process.openForReading("/old")
        try process.rename("/new", to: "/old")
        #expect(try process.read(file, count: 10) == [UInt8]("old".utf8))
        #expect(try process.status(of: file).linkCount == 0)
        #expect(disk.names(in: "/") == ["old"])
        #expect(text(disk.contents(of: "/old")) == "new")
    }

    @Test("Names that Swift takes for equal are two files")
    func names() throws {
        let process = disk.process()
        try process.make("/e\u{301}", "two")
        try process.make("/\u{E9}", "one")
        #expect(disk.names(in: "/").count == 2)
        #expect(text(disk.contents(of: "/e\u{301}")) == "two")
    }

    @Test("No two changes have the same time, and times are close to the machine's")
    func times() throws {
        let process = disk.process()
        let file = try process.create("/file")
        let before = try process.status(of: file)
        try process.write("x", to: file)
        let written = try process.status(of: file)
        try process.link("/file", as: "/link")
        let linked = try process.status(of: file)
        #expect(before.modified != written.modified)
        #expect(written.modified == linked.modified && written.changed != linked.changed)
        #expect(abs(Date().timeIntervalSince1970 - Double(before.modified.seconds)) < 600)
    }

    @Test("A closed descriptor, and another process's, is none")
    func descriptors() throws {
        let process = disk.process()
        let file = try process.openOrCreate("/file").file
        #expect(try errorNumber { try disk.process().write("x", to: file) } == EBADF)
        disk.process().close(file)
        try process.write("x", to: file)
        process.close(file)
        #expect(try errorNumber { try process.write("x", to: file) } == EBADF)
        #expect(try errorNumber { _ = try process.lock(file) } == EBADF)
    }

    // MARK: Locks

    @Test("A lock excludes other processes and descriptors until it is released or closed, or its process dies")
    func locks() throws {
        let (first, second) = (disk.process(), disk.process())
        let file = try first.openOrCreate("/file").file
        let sameProcess = try first.openForReading("/file")
        let other = try second.openForReading("/file")
        #expect(try first.lock(file))
        #expect(try first.lock(file))
        #expect(try !first.lock(sameProcess))
        #expect(try !second.lock(other))
        second.unlock(other)
        #expect(try !second.lock(other))
        first.unlock(file)
        #expect(try first.lock(sameProcess))
        first.close(sameProcess)
        #expect(try first.lock(file))
        first.kill()
        #expect(try second.lock(other))
    }

    // MARK: Faults

    @Test("A fault is about the call with its number, counted from when it was set")
    func once() throws {
        let process = disk.process()
        try process.make("/file")
        process.set(.once(1, errno: EINTR))
        #expect(try process.status(of: "/file", followingLink: true) != nil)
        #expect(try errorNumber { try process.remove("/file") } == EINTR)
        #expect(try errorNumber { try process.remove("/file") } == 0)
        #expect(process.callCount == 3)
        process.set(.from(1, errno: EROFS))
        #expect(try process.names(inDirectory: "/") == [])
        #expect(try errorNumber { try process.createDirectory("/d") } == EROFS)
        #expect(try errorNumber { try process.createDirectory("/d") } == EROFS)
        #expect(disk.names(in: "/") == [])
    }

    @Test("Short reads and writes move seven bytes at most")
    func short() throws {
        let process = disk.process()
        process.set(.short)
        let file = try process.openOrCreate("/file").file
        #expect(try process.write("123456789", to: file) == 7)
        #expect(try process.write("123", to: file) == 3)
        #expect(try process.read(file, at: 0, count: 100).count == 7)
    }

    @Test(
        "A process dies before, in the middle of or after a write, and does nothing from then on",
        arguments: [
            (SimulatedProcess.Fault.death(1), "begin "), (.partialDeath(1), "begin 12"), (.deathAfter(1), "begin 1234"),
        ])
    func death(fault: SimulatedProcess.Fault, contents: String) throws {
        let process = disk.process()
        let file = try process.openOrCreate("/file").file
        try process.write("begin ", to: file)
        process.set(fault)
        _ = try process.lock(file)
        #expect(!process.isDead)
        #expect(try errorNumber { try process.write("1234", to: file) } == EIO)
        #expect(process.isDead)
        #expect(try errorNumber { try process.write("1234", to: file) } == EIO)
        #expect(try errorNumber { try process.remove("/file") } == EIO)
        process.set(.none)
        #expect(try errorNumber { try process.remove("/file") } == EIO)
        #expect(text(disk.contents(of: "/file")) == contents)
        let survivor = disk.process()
        #expect(try survivor.lock(survivor.openForReading("/file")))
    }

    @Test("Dying in the middle of anything but a write does nothing")
    func partialDeath() throws {
        let process = disk.process()
        try process.make("/file")
        process.set(.partialDeath(0))
        #expect(try errorNumber { try process.remove("/file") } == EIO)
        #expect(disk.names(in: "/") == ["file"])
    }

    @Test("Letting go of a process ends it")
    func deinitialization() throws {
        let survivor = disk.process()
        do {
            let process = disk.process()
            let file = try process.openOrCreate("/file").file
            #expect(try process.lock(file))
        }
        #expect(try survivor.lock(survivor.openForReading("/file")))
    }

    // MARK: Capacity

    @Test("A write that does not fit writes what fits; the next fails, until there is room again")
    func capacity() throws {
        let disk = SimulatedDisk(capacity: 10)
        let process = disk.process()
        try process.make("/first", "12345")
        let file = try process.openOrCreate("/second").file
        #expect(try process.write("1234567", to: file) == 5)
        #expect(try errorNumber { try process.write("8", to: file) } == ENOSPC)
        #expect(try errorNumber { try process.truncate(file, to: 6) } == ENOSPC)
        try process.remove("/first")
        #expect(try process.write("678901", to: file) == 5)
        disk.capacity = nil
        #expect(try process.write("1", to: file) == 1)
        disk.capacity = 0
        #expect(try errorNumber { try process.write("2", to: file) } == ENOSPC)
        #expect(disk.contents(of: "/second")?.count == 11)
    }

    @Test("A removed file takes its room until it is closed")
    func openTakesRoom() throws {
        let disk = SimulatedDisk(capacity: 4)
        let process = disk.process()
        try process.make("/file", "1234")
        let file = try process.openForReading("/file")
        try process.remove("/file")
        #expect(try errorNumber { try process.make("/new", "1") } == ENOSPC)
        process.close(file)
        #expect(try errorNumber { try process.make("/newer", "1") } == 0)
    }

    // MARK: For apps

    @Test("While writing fails, every writing call fails, in every process; reading and removing works")
    func failWrites() throws {
        let process = disk.process()
        try process.make("/file", "1")
        try process.make("/other")
        let file = try process.openForAppending("/file")
        disk.failWrites(with: EDQUOT)
        let writing: [() throws -> Void] = [
            { try process.write("2", to: file) }, { try process.truncate(file, to: 0) },
            { try process.synchronize(file) }, { try process.synchronizeDirectory("/") },
            { _ = try process.create("/new") }, { _ = try process.openOrCreate("/new").file },
            { try process.rename("/other", to: "/file") }, { try process.link("/file", as: "/new") },
            { try process.createDirectory("/new") },
        ]
        for write in writing { #expect(try errorNumber(write) == EDQUOT) }
        #expect(try process.read(file, at: 0, count: 10) == [UInt8("1".utf8.first ?? 0)])
        _ = try process.openOrCreate("/file").file
        try process.remove("/other")
        disk.failWrites(with: nil)
        #expect(try errorNumber { try process.write("2", to: file) } == 0)
        #expect(disk.names(in: "/") == ["file"])
    }

    @Test("Synchronized values survive a power failure; a store throws if it could not write")
    func store() throws {
        let key = SettingsService.StorageKey("greeting", scope: .custom(id: "simulated"))
        let store = try disk.open("/home/app/Settings.plist")
        try store.set(key, to: Data("\"hello\"".utf8))
        disk.failWrites(with: ENOSPC)
        #expect(throws: (any Error).self) { try store.synchronize() }
        disk.failWrites(with: nil)
        try store.synchronize()
        for seed in 0..<20 as Range<UInt64> {
            disk.powerFailure(seed: seed)
            #expect(try disk.open("/home/app/Settings.plist").get(key) == Data("\"hello\"".utf8), "seed \(seed)")
        }
    }

    @Test("The world outside writes, replaces, removes and dates files")
    func outside() throws {
        try disk.makeDirectory("/d")
        try disk.write(Data("one".utf8), to: "/d/file")
        try disk.makeLink("/link", to: "d/file")
        try disk.write(Data("two".utf8), to: "/link")
        #expect(text(disk.contents(of: "/d/file")) == "two")
        try disk.replace("/d/file", with: Data("three".utf8))
        #expect(text(disk.contents(of: "/link")) == "three")
        try disk.setModificationTime(of: "/link", toSeconds: 5)
        #expect(try disk.process().status(of: "/d/file", followingLink: false)?.modified.seconds == 5)
        try disk.remove("/d/file")
        #expect(disk.contents(of: "/link") == nil && disk.contents(of: "/d") == nil)
        #expect(disk.names(in: "/d") == [] && disk.names(in: "/none") == [])
        #expect(try errorNumber { try disk.write(Data(), to: "/none/file") } == ENOENT)
    }
}

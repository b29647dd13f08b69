import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Testing

@testable import SettingsKitFiles

/// What an export does to the local state: others must not receive what a power failure could undo, and a small change must
/// not rewrite a large state.
@Suite("An export and the local state", .ownThreads)
struct ExportSafetyTests {
    private let device: Device

    init() throws {
        device = try Device("one")
        try device.set("before", "1")
        try device.store.synchronize()
        device.restart()
        device.disk.synchronizeAll()
    }

    private func exportChange(_ core: ReplicatedDirectory) throws {
        try core.set(Data("2".utf8), for: key("after"))
        try core.export(always: false)
    }

    /// What the local state has, without the exported files, from which a device would learn its own change again.
    private func stored(_ name: String, on device: Device) throws -> String? {
        for name in device.files.keys { try device.remove(name) }
        return try device.value(name)
    }

    private func propertyLists(of device: Device) -> [String: Data] {
        var files: [String: Data] = [:]
        for name in device.disk.names(in: device.state) where name.hasSuffix(".plist") {
            files[name] = device.disk.contents(of: device.state + "/" + name)
        }
        return files
    }

    @Test("An export leaves the property list of the state as it is: the change is in its journal")
    func isSmall() throws {
        let before = propertyLists(of: device)
        #expect(!before.isEmpty)
        let core = try device.core()
        try exportChange(core)
        #expect(propertyLists(of: device) == before)
        #expect(device.files.values.contains { String(decoding: $0, as: UTF8.self).contains("after") })
        // At its end, the list is folded.
        withExtendedLifetime(core) {}
    }

    @Test("What an export has written survives a power failure of its own device", arguments: 0..<20 as Range<UInt64>)
    func survives(seed: UInt64) throws {
        let core = try device.core()
        try exportChange(core)
        device.disk.powerFailure(seed: seed)
        withExtendedLifetime(core) {}
        #expect(try stored("before", on: device) == "1")
        #expect(try stored("after", on: device) == "2")
    }

    @Test("What was synchronized reaches others although the power fails", arguments: 0..<20 as Range<UInt64>)
    func reachesOthers(seed: UInt64) throws {
        try device.set("after", "2")
        try device.store.synchronize()
        device.disk.powerFailure(seed: seed)
        // A syncer carries the files before this device's program runs again.
        let other = try Device("other")
        for (name, data) in device.files { try other.put(data, name) }
        try other.store.refresh()
        #expect(try other.values == ["before": "1", "after": "2"])
    }

    /// Has another process export a change when one has flushed a file, at the flush of the given number.
    ///
    /// - Returns: whether the other process could do so. Nil if there are not so many flushes.
    private func overtake(at flush: Int, in directory: String) throws -> Bool? {
        let fileSystem = FaultyFileSystem()
        func open(_ state: String, _ fileSystem: any FileSystem = POSIXFileSystem()) throws -> DirectoryStore {
            try DirectoryStore(directory: directory + "/shared", state: directory + state, fileSystem: fileSystem)
        }
        let (store, other) = try (open("/state", fileSystem), open("/state"))
        try store.set(key("a"), to: Data("1".utf8))
        let (flushes, outcomes) = (Recorder<Int>(), Recorder<Bool>())
        fileSystem.after { call in
            guard call == .synchronize else { return }
            flushes.append(flush)
            guard flushes.all.count == flush + 1 else { return }
            let write = SettingsStoreBatch(writes: [.init(key: key("b"), data: Data("2".utf8))])
            do {
                _ = try other.apply(write)
                try other.synchronize()
                outcomes.append(true)
            } catch SettingsError.Code.busy {
                outcomes.append(false)
            } catch {
                Issue.record(error)
            }
        }
        try store.synchronize()
        // The hook holds the other store.
        fileSystem.after { _ in }
        guard let isExported = outcomes.all.first else { return nil }
        let elsewhere = try open("/elsewhere")
        #expect(elsewhere.get(key("a")) == Data("1".utf8), "\(flush)")
        if isExported { #expect(elsewhere.get(key("b")) == Data("2".utf8), "\(flush)") }
        return isExported
    }

    @Test("An export does not replace a newer file of another process")
    func overtaken() throws {
        var count = 0
        for flush in 0... {
            guard let isOvertaken = try withTemporaryDirectory({ try overtake(at: flush, in: $0) }) else { break }
            if isOvertaken { count += 1 }
        }
        #expect(count > 1)
    }

    @Test(
        "It survives at any call of the background, which replaces the property list and the journal, too",
        arguments: 0..<5 as Range<UInt64>)
    func survivesReplacement(seed: UInt64) throws {
        try Mishap.powerFailure(seed: seed).atEveryCall {
            let device = Device(copyOf: device)
            return (device.disk, (device: device, isExported: false))
        } work: { world, process, _ in
            let core = try world.device.core(process)
            try exportChange(core)
            world.isExported = true
            try core.state.list.folder.foldNow()
            try core.set(Data("3".utf8), for: key("later"))
        } check: { world, comment in
            guard world.isExported else { return }
            let found = try stored("after", on: world.device)
            #expect(found == "2", comment)
        }
    }

    @Test("It survives while the journal is rewritten, too", arguments: 0..<20 as Range<UInt64>)
    func survivesRewriting(seed: UInt64) throws {
        let core = try device.core()
        try exportChange(core)
        try core.state.list.files.updateLocked(waiting: .zero) { writer in try writer.replaceSupersededJournal() }
        device.disk.powerFailure(seed: seed)
        withExtendedLifetime(core) {}
        #expect(try stored("after", on: device) == "2")
    }

    /// The journal of the state, of which the disk has lost the end.
    private func loseJournal() throws {
        let name = try #require(device.disk.names(in: device.state).first { $0.hasSuffix("-journal") })
        try device.disk.failWriteBack(of: device.state + "/" + name)
    }

    private func requireStored(_ core: ReplicatedDirectory) throws {
        device.disk.powerFailure(seed: 1)
        withExtendedLifetime(core) {}
        #expect(try stored("after", on: device) == "2")
    }

    @Test("A write to the state that has failed since is reported by an export, and repaired by the next one")
    func failedWrite() throws {
        let core = try device.core()
        try core.set(Data("2".utf8), for: key("after"))
        try loseJournal()
        #expect(throws: (any Error).self) { try core.export(always: false) }
        try core.export(always: false)
        try requireStored(core)
    }

    @Test("A failed write that the system has reported to another process, which is gone, is repaired by an export")
    func reportedFailure() throws {
        do {
            let process = device.disk.process()
            let other = try device.core(process)
            try other.set(Data("2".utf8), for: key("after"))
            try loseJournal()
            #expect(throws: (any Error).self) { try other.export(always: false) }
            process.kill()
        }
        let core = try device.core()
        try core.set(Data("3".utf8), for: key("later"))
        try core.export(always: false)
        try requireStored(core)
    }

    @Test("If a call of an export fails, the next export writes what survives a power failure")
    func failure() throws {
        let probe = Device(copyOf: device)
        let calls = probe.disk.process()
        try exportChange(probe.core(calls))
        for number in 0..<calls.callCount {
            let device = Device(copyOf: device)
            let process = device.disk.process()
            let core = try device.core(process)
            try core.set(Data("2".utf8), for: key("after"))
            process.set(.once(number, errno: EIO))
            do {
                try core.export(always: false)
            } catch {
                // The background would report it, and try again.
            }
            process.set(.none)
            try core.export(always: false)
            device.disk.powerFailure(seed: UInt64(number))
            withExtendedLifetime(core) {}
            #expect(try stored("after", on: device) == "2", "call \(number)")
        }
    }
}

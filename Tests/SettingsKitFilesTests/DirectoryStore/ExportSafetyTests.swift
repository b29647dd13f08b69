import Foundation
import SettingsKitCore
import SettingsKitPlatform
import Synchronization
import Testing

@testable import SettingsKitFiles

/// What an export does to the local state: others must not receive what a power failure could undo.
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
        try core.change { _ in [("after", Data("2".utf8))] }
        try core.export(always: false)
    }

    /// What the local state has, without the exported files, from which a device would learn its own change again.
    private func stored(_ name: String, on device: Device) throws -> String? {
        for name in device.files.keys { try device.remove(name) }
        return try device.value(name)
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

    @Test("While another process writes the replica's file, an export fails, and the next one does it")
    func busy() throws {
        let process = device.disk.process()
        let path = device.state + "/State-export"
        let lock = try process.openOrCreate(path).file
        #expect(try process.lock(lock))
        let core = try device.core()
        #expect { try exportChange(core) } throws: { SettingsError.Code.busy ~= $0 }
        #expect(core.lacksChanges)
        process.kill()
        try core.export(always: false)
        #expect(!core.lacksChanges)
    }

    @Test("A listener that is called during an export can synchronize")
    func listener() throws {
        let process = device.disk.process()
        let (store, other) = try (device.process(process), device.process())
        let service = SettingsService.over(store).service
        let results = Recorder<Bool>()
        let subscription = service.observe(Setting<Int>("later", in: .defaults, default: 0)) { _ in
            results.append((try? store.synchronize()) != nil)
        }
        defer { subscription.cancel() }
        try store.set(key("after"), to: Data("2".utf8))
        let isSet = Atomic(false)
        // Another process sets a value while this one writes its file.
        process.beforeEachCall { call, path in
            guard call == "open", path.hasSuffix(".jsonl"), !isSet.exchange(true, ordering: .relaxed) else { return }
            HeldLocks.excepting { try? other.set(key("later"), to: Data("3".utf8)) }
        }
        try store.synchronize()
        process.beforeEachCall(nil)
        try store.synchronize()
        #expect(results.all == [true])
        #expect(try String(decoding: device.ownFile.data, as: UTF8.self).contains("later"))
    }

    @Test("A file that a syncer puts in the place of the own one during an export is merged, not replaced")
    func replacedMeanwhile() throws {
        // Another copy of the state has changed something.
        let copy = Device(copyOf: device)
        copy.time += 1_000
        try copy.set("copy", "1")
        try copy.store.synchronize()
        let (name, other) = try copy.ownFile
        // Every moment at which the syncer may do it.
        for number in 0... {
            let device = Device(copyOf: device)
            let core = try device.core(device.disk.process())
            try core.log.compact(waiting: .zero)
            let process = device.disk.process()
            let exporter = try device.core(process)
            try exporter.change { _ in [("after", Data("2".utf8))] }
            let count = Atomic(0)
            let isPut = Atomic(false)
            process.beforeEachCall { call, _ in
                guard count.add(1, ordering: .relaxed).oldValue == number else { return }
                // In the instant of the rename, no process can notice it.
                if call == "rename" { return }
                isPut.store(true, ordering: .relaxed)
                HeldLocks.excepting { try? device.put(other, name) }
            }
            try exporter.export(always: false)
            process.beforeEachCall(nil)
            if count.load(ordering: .relaxed) <= number { break }
            try exporter.export(always: true)
            guard isPut.load(ordering: .relaxed) else { continue }
            #expect(exporter.log.data(named: "copy") != nil, "call \(number)")
        }
    }

    @Test(
        "What was synchronized is in the directory after a power failure, also if another process died while it wrote it",
        arguments: 1...5 as ClosedRange<UInt64>)
    func deathAndPowerFailure(seed: UInt64) throws {
        try Mishap.deathBefore.atEveryCall {
            let device = Device(copyOf: device)
            // The file is written anew.
            try device.core().log.compact(waiting: .zero)
            return (device.disk, device)
        } work: { device, process, _ in
            try exportChange(device.core(process))
        } check: { device, comment in
            try device.core().export(always: false)
            func ownFile() -> [Data] { device.files.filter { !$0.key.hasPrefix(".") }.map(\.value) }
            let before = ownFile()
            device.disk.powerFailure(seed: seed)
            #expect(ownFile() == before, comment)
        }
    }

    @Test(
        "It survives at any call of the background, which replaces the log, too",
        arguments: 0..<5 as Range<UInt64>)
    func survivesReplacement(seed: UInt64) throws {
        try Mishap.powerFailure(seed: seed).atEveryCall {
            let device = Device(copyOf: device)
            return (device.disk, (device: device, isExported: false))
        } work: { world, process, _ in
            let core = try world.device.core(process)
            try exportChange(core)
            world.isExported = true
            try core.log.compact(waiting: .zero)
            try core.change { _ in [("later", Data("3".utf8))] }
        } check: { world, comment in
            guard world.isExported else { return }
            let found = try stored("after", on: world.device)
            #expect(found == "2", comment)
        }
    }

    /// Has the disk lose the end of the log.
    private func loseEnd() throws {
        let name = try #require(device.disk.names(in: device.state).first { $0.hasSuffix("-log") })
        try device.disk.failWriteBack(of: device.state + "/" + name)
    }

    private func requireStored(_ core: ReplicatedDirectory) throws {
        device.disk.powerFailure(seed: 1)
        withExtendedLifetime(core) {}
        #expect(try stored("after", on: device) == "2")
    }

    @Test(
        "After a write to the state has failed in the background, an export repairs it first, in this process or the next",
        arguments: [true, false])
    func failedWrite(isOther: Bool) throws {
        let process = device.disk.process()
        var core = try device.core(process)
        try core.change { _ in [("after", Data("2".utf8))] }
        try loseEnd()
        try core.export(always: false)
        if isOther {
            process.kill()
            core = try device.core()
        }
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
            try core.change { _ in [("after", Data("2".utf8))] }
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
            let files = device.files.values.map { String(decoding: $0, as: UTF8.self) }
            #expect(files.contains { $0.contains("after") }, "call \(number)")
            #expect(try stored("after", on: device) == "2", "call \(number)")
        }
    }
}

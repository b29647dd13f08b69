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
        try core.change { _ in [LogChange(name: "after", data: Data("2".utf8))] }
        try core.export(always: false)
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
            try exporter.change { _ in [LogChange(name: "after", data: Data("2".utf8))] }
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

    /// Has the disk lose the end of the log.
    @Test(
        "What an export has written is in the state after a power failure, and what was synchronized is in the directory",
        arguments: [Mishap.deathBefore, .failure(EIO)] + (0..<5).map { Mishap.powerFailure(seed: $0) })
    func survives(mishap: Mishap) throws {
        try mishap.atEveryCall {
            let device = Device(copyOf: device)
            return (device.disk, (device: device, core: ReplicatedDirectory?.none, isExported: false))
        } work: { world, process, _ in
            let core = try world.device.core(process)
            if mishap.isFailure { world.core = core }
            try exportChange(core)
            world.isExported = true
            try core.log.compact(waiting: .zero)
            try core.change { _ in [LogChange(name: "later", data: Data("3".utf8))] }
        } check: { world, comment in
            let device = world.device
            func files() -> [String: Data] { device.files.filter { !$0.key.hasPrefix(".") } }
            if !mishap.isPowerFailure {
                try (world.core ?? device.core()).export(always: false)
                let before = files()
                device.disk.powerFailure(seed: 1)
                #expect(files() == before, comment)
            }
            let isExported = files().values.contains { String(decoding: $0, as: UTF8.self).contains("after") }
            #expect(isExported || !world.isExported, comment)
            for name in device.files.keys { try device.remove(name) }
            #expect(try !isExported || device.value("after") == "2", comment)
        }
    }

    @Test(
        "After a write to the state has failed in the background, an export repairs it first, in this process or the next",
        arguments: [true, false])
    func failedWrite(isOther: Bool) throws {
        let process = device.disk.process()
        var core = try device.core(process)
        try core.change { _ in [LogChange(name: "after", data: Data("2".utf8))] }
        try device.disk.failWriteBack(of: device.state + "/State-log")
        try core.export(always: false)
        if isOther {
            process.kill()
            core = try device.core()
        }
        try core.export(always: false)
        device.disk.powerFailure(seed: 1)
        withExtendedLifetime(core) {}
        for name in device.files.keys { try device.remove(name) }
        #expect(try device.value("after") == "2")
    }
}

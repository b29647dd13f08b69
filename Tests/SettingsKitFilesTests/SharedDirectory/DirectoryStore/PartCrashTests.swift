import Foundation
import Testing

@testable import SettingsKitFiles

/// A device whose process fails, dies, or loses its power at every call in turn while it writes several part files.
@Suite("Part files and failing disks", .timeLimit(Rounds.timeLimit), .ownThreads)
struct PartCrashTests {
    private let original: Device

    init() throws {
        let device = try Device("one", headLimit: 300)
        for number in 0..<40 { try device.set("key\(number)", "0") }
        try device.store.synchronize()
        for number in 0..<3 { try device.set("key\(number)", "1") }
        try device.store.synchronize()
        device.restart()
        device.disk.synchronizeAll()
        original = device
    }

    /// Sets so much that the head and part 1 move to part 2: three files are written.
    private func work(_ device: Device, _ process: SimulatedProcess) throws {
        let core = try device.core(process)
        for number in 10..<40 { try core.set(Data("2".utf8), for: key("key\(number)")) }
        try core.synchronize()
    }

    @Test("Three files are written")
    func files() throws {
        let device = Device(copyOf: original)
        let before = device.files
        try work(device, device.disk.process())
        #expect(device.files.filter { before[$0.key] != $0.value }.count == 3)
    }

    @Test(
        "Wherever a process dies, a call fails or the power goes, others use the part files, and the next export completes them",
        arguments: [Mishap.deathBefore, .deathAfter, .failure(EIO), .powerFailure(seed: 1)])
    func mishap(_ mishap: Mishap) throws {
        try mishap.atEveryCall(pace: Rounds.choose(3, full: 1)) {
            let device = Device(copyOf: original)
            return (device.disk, device)
        } work: { device, process, _ in
            try work(device, process)
        } check: { device, comment in
            // Whatever is in the directory now, another device uses it, and has everything after the next export.
            let third = try Device("third")
            func carry() throws {
                for (name, data) in device.files where !name.hasPrefix(".") { try third.put(data, name) }
                try third.store.refresh()
            }
            try carry()
            let early = try third.values
            #expect(early.count == 40, comment)
            #expect(early["key0"] == "1" && early["key5"] == "0" && ["0", "2"].contains(early["key20"]), comment)
            let isComplete = ReplicaParts(try device.core().files.summaries).isComplete(since: 0)
            #expect(try third.store.report.problems.isEmpty == isComplete, comment)
            try device.store.synchronize()
            try carry()
            #expect(try third.values == device.values, comment)
            #expect(try third.store.report.problems.isEmpty, comment)
            #expect(try device.store.replicas.count == 1, comment)
            #expect(try !device.store.report.hasUnexportedChanges, comment)
            if mishap.isFailure {
                #expect(device.disk.names(in: device.directory).allSatisfy { !$0.hasPrefix(".") }, comment)
            }
        }
    }
}

import Foundation
import SettingsTestKit
import Testing

@testable import SettingsKitFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
    private func work(_ device: Device, _ process: SimulatedProcess) -> Bool {
        do {
            let core = try device.core(process)
            for number in 10..<40 { try core.set(Data("2".utf8), for: key("key\(number)")) }
            try core.synchronize()
            return true
        } catch {
            // Where it stopped is what is of interest.
            return false
        }
    }

    /// The calls that go wrong, each in its turn.
    private func calls() throws -> StrideTo<Int> {
        stride(from: 0, to: try callCount(), by: Rounds.choose(3, full: 1))
    }

    private func callCount() throws -> Int {
        let device = Device(copyOf: original)
        let process = device.disk.process()
        let before = device.files
        #expect(work(device, process))
        #expect(device.files.filter { before[$0.key] != $0.value }.count == 3)
        return process.callCount
    }

    /// Whatever is in the directory now, another device uses it, and has everything after the next export.
    private func check(_ device: Device, _ comment: Comment) throws {
        let third = try Device("third")
        func carry() throws {
            for (name, data) in device.files where !name.hasPrefix(".") { try third.put(data, name) }
            try third.store.refresh()
        }
        try carry()
        let early = try third.values
        #expect(early.count == 40, comment)
        #expect(early["key0"] == "1" && early["key5"] == "0" && ["0", "2"].contains(early["key20"]), comment)
        let isComplete = ReplicaParts(try device.core().table.withLock { $0.summaries }).isComplete(since: 0)
        #expect(try third.store.report.problems.isEmpty == isComplete, comment)

        try device.store.synchronize()
        try carry()
        #expect(try third.values == device.values, comment)
        #expect(try third.store.report.problems.isEmpty, comment)
        #expect(try device.store.replicas.count == 1, comment)
        #expect(try !device.store.report.hasUnexportedChanges, comment)
    }

    @Test(
        "A process that dies before or after any call leaves files that others use, and that the next export completes",
        arguments: [false, true])
    func death(isAfter: Bool) throws {
        for number in try calls() {
            let device = Device(copyOf: original)
            let process = device.disk.process()
            process.set(isAfter ? .deathAfter(number) : .death(number))
            _ = work(device, process)
            try check(device, "call \(number), \(isAfter)")
        }
    }

    @Test("A call that fails once leaves files that others use, and that the next export completes")
    func failure() throws {
        for number in try calls() {
            let device = Device(copyOf: original)
            let process = device.disk.process()
            process.set(.once(number, errno: EIO))
            _ = work(device, process)
            try check(device, "call \(number)")
            #expect(device.disk.names(in: device.directory).allSatisfy { !$0.hasPrefix(".") }, "call \(number)")
        }
    }

    @Test("A power failure at any call leaves files that others use, and that the next export completes")
    func powerFailure() throws {
        for number in try calls() {
            let device = Device(copyOf: original)
            let process = device.disk.process()
            process.set(.death(number))
            _ = work(device, process)
            device.disk.powerFailure(seed: UInt64(number))
            try check(device, "call \(number)")
        }
    }
}

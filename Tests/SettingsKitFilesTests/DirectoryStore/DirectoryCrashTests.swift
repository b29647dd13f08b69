import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

@testable import SettingsKitFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A device whose process fails, dies, or loses its power at every call in turn while it sets something, takes something
/// over, and writes its file.
@Suite("A shared directory and failing disks", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DirectoryCrashTests {
    /// A device that has not read another device's file yet.
    private let original: Device

    init() throws {
        let other = try Device("other")
        other.time -= 1_000
        try other.set("theirs", "1")
        try other.set("both", "theirs")
        try other.store.synchronize()
        let foreign = try other.ownFile
        let device = try Device("one")
        try device.set("before", "1")
        try device.set("both", "before")
        try device.store.synchronize()
        device.restart()
        try device.put(foreign.data, foreign.name)
        device.disk.synchronizeAll()
        original = device
    }

    /// What of the workload was done before something went wrong.
    private struct Progress {
        var isSet = false
        var isSynchronized = false
    }

    private func work(_ device: Device, _ process: SimulatedProcess) -> Progress {
        var progress = Progress()
        do {
            let store = try device.process(process)
            try store.set(key("both"), to: Data("mine".utf8))
            progress.isSet = true
            try store.synchronize()
            progress.isSynchronized = true
        } catch {
            // Where it stopped is what is of interest.
        }
        return progress
    }

    private func callCount() throws -> Int {
        let device = Device(copyOf: original)
        let process = device.disk.process()
        #expect(work(device, process).isSynchronized)
        return process.callCount
    }

    /// Checks the promises, and that a device that takes over whatever is in the directory is of the same opinion.
    private func check(_ device: Device, _ progress: Progress, _ comment: Comment) throws {
        let both = try #require(try device.value("both"), comment)
        #expect(progress.isSet ? both == "mine" : ["before", "mine"].contains(both), comment)
        #expect(try device.value("before") == "1", comment)
        try device.store.synchronize()
        #expect(try device.value("theirs") == "1", comment)
        let third = try Device("third")
        for (name, data) in device.files where !name.hasPrefix(".") { try third.put(data, name) }
        try third.store.refresh()
        #expect(try third.values == device.values, comment)
        #expect(try device.store.replicas.filter(\.isOwn).count == 1, comment)
    }

    enum Death: Sendable {
        case before, within, after

        /// Dying after a call leaves what dying before the next call leaves.
        static let all: [Death] = Rounds.choose([.before, .within], full: [.before, .within, .after])

        func fault(_ number: Int) -> SimulatedProcess.Fault {
            switch self {
            case .before: .death(number)
            case .within: .partialDeath(number)
            case .after: .deathAfter(number)
            }
        }
    }

    @Test("A process that dies at any call loses nothing that was set", arguments: Death.all)
    func death(_ death: Death) throws {
        for number in 0..<(try callCount()) {
            let device = Device(copyOf: original)
            let process = device.disk.process()
            process.set(death.fault(number))
            let progress = work(device, process)
            try check(device, progress, "\(death) call \(number)")
            // No other device has written with this ID.
            #expect(try device.store.replicas.count == 2, "\(death) call \(number)")
        }
    }

    @Test(
        "A call that fails once loses nothing that was set",
        arguments: Rounds.choose([EIO], full: [EIO, ENOSPC, EACCES]))
    func failure(errno: Int32) throws {
        for number in 0..<(try callCount()) {
            let device = Device(copyOf: original)
            let process = device.disk.process()
            process.set(.once(number, errno: errno))
            let progress = work(device, process)
            try check(device, progress, "call \(number)")
            #expect(try device.store.replicas.count == 2, "call \(number)")
        }
    }

    @Test("A power failure at any call keeps what was synchronized, and all devices agree on what is left")
    func powerFailure() throws {
        let seeds = Rounds.choose(1, full: 3)
        for number in 0..<(try callCount()) {
            for seed in 0..<seeds {
                let device = Device(copyOf: original)
                let process = device.disk.process()
                process.set(.death(number))
                _ = work(device, process)
                device.disk.powerFailure(seed: UInt64(seed))
                // Changes that were not synchronized may be lost.
                try check(device, Progress(), "call \(number), seed \(seed)")
            }
        }
        let device = Device(copyOf: original)
        let progress = work(device, device.disk.process())
        device.disk.powerFailure(seed: 1)
        try check(device, progress, "at the end")
    }
}

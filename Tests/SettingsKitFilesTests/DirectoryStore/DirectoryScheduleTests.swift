import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

/// Five devices, and a syncer that does everything that syncers do, in an order that a seed decides.
@Suite("Random schedules of devices", .timeLimit(Rounds.timeLimit), .ownThreads)
struct DirectoryScheduleTests {
    private struct World {
        var random: SeededGenerator
        let devices: [Device]
        /// Files on their way, and those that were there before.
        var letters: [(name: String, data: Data)] = []

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk()
            var devices: [Device] = []
            for number in 0..<5 {
                devices.append(try Device("device\(number)", disk: disk))
            }
            self.devices = devices
        }

        mutating func step() throws {
            let device = devices[Int.random(in: 0..<5, using: &random)]
            device.time += Int64.random(in: 0...2, using: &random)
            switch Int.random(in: 0..<15, using: &random) {
            case 0...3: try device.set(name(), "\(Int.random(in: 0..<1_000, using: &random))")
            case 4: try device.set(name(), nil)
            case 5, 6:
                try device.store.synchronize()
                letters.append(try device.ownFile)
            case 7...9: try deliver(to: device, as: nil)
            case 10: try deliver(to: device, as: "conflict \(Int.random(in: 0..<3, using: &random)).jsonl")
            case 11:
                guard let letter = letters.randomElement(using: &random) else { return }
                try device.put(letter.data.prefix(Int.random(in: 0...letter.data.count, using: &random)), letter.name)
                try device.store.refresh()
            case 12: try device.core().log.compact(waiting: .zero)
            case 13: device.time += Int64.random(in: (-Device.day * 1_000)...(Device.day * 1_000), using: &random)
            default: device.restart()
            }
        }

        private mutating func name() -> String { "key\(Int.random(in: 0..<6, using: &random))" }

        /// Late, twice, in the wrong order, or an older one after a newer one: whichever letter it is.
        private mutating func deliver(to device: Device, as name: String?) throws {
            guard let letter = letters.randomElement(using: &random) else { return }
            try device.put(letter.data, name ?? letter.name)
            try device.store.refresh()
        }

        /// All clocks are right, and each device's files reach all others, twice. What else is in the directories stays there.
        mutating func end() throws {
            for (index, device) in devices.enumerated() {
                device.time = Device.noon + 1_000_000 + Int64(index)
                device.restart()
            }
            try settle(devices)
        }

        /// Does what two processes of each device do in the background, with a syncer that carries each device's file.
        ///
        /// - Returns: Whether they stop to write.
        func isQuiet() throws -> Bool {
            let cores = try devices.map { device in try [device.core(), device.core()] }
            func allBytes() -> [[Data?]] {
                devices.map { device in
                    device.files.sorted { $0.key < $1.key }.map(\.value)
                        + [device.disk.contents(of: device.state + "/State-log")]
                }
            }
            for _ in 0..<4 {
                let before = allBytes()
                for (device, cores) in zip(devices, cores) {
                    for core in cores {
                        try core.read()
                        if core.lacksChanges { try core.export(always: false) }
                        if core.log.needsCompaction { try core.log.compact(waiting: .zero) }
                    }
                    let file = try device.ownFile
                    for other in devices where other !== device { try other.put(file.data, file.name) }
                }
                if allBytes() == before { return true }
            }
            return false
        }
    }

    @Test("After any schedule of changes and deliveries, all devices have the same values")
    func agreement() throws {
        for seed in Rounds.seeds(0..<1_000) {
            var world = try World(seed: seed)
            for _ in 0..<40 { try world.step() }
            try world.end()
            let values = try world.devices.map { try $0.values }
            #expect(values.allSatisfy { $0 == values[0] }, "seed \(seed)")
            #expect(try world.isQuiet(), "seed \(seed)")
        }
    }
}

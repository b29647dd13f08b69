import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

/// Clocks that were wrong for a while, alone or together, whatever files lie about from that time.
@Suite("When all clocks are right again")
struct CorrectedClockTests {
    private let (one, other, third): (Device, Device, Device)

    init() throws { (one, other, third) = try (Device("one"), Device("other"), Device("third")) }

    private static let year = 365 * Device.day
    private var devices: [Device] { [one, other, third] }

    private func setTimes(_ time: Int64) {
        for (index, device) in devices.enumerated() { device.time = time + Int64(index) * 1_000 }
    }

    @Test(
        "When all clocks are right again, two devices that were ahead together agree with the others, and new changes win"
    )
    func twoDevicesThatWere() throws {
        one.time += Self.year
        other.time += Self.year + 5_000
        try one.set("a", "from one")
        try one.send(to: other)
        try other.set("b", "from other")
        try other.send(to: one)
        try one.store.refresh()
        try third.set("a", "third")
        setTimes(Device.noon + 60_000)
        try settle(devices)
        #expect(try third.values == ["a": "from one", "b": "from other"])
        setTimes(Device.noon + 120_000)
        for (device, name) in zip(devices, ["a", "b", "a"]) {
            try device.set(name, device.name)
            try settle(devices)
            #expect(try devices.allSatisfy { try $0.value(name) == device.name })
        }
        #expect(try devices.allSatisfy { try $0.store.report.problems.isEmpty })
    }

    @Test("When all clocks are right again, a copy of a state made while the clock was ahead blocks no device")
    func aCopyOfA() throws {
        one.time += Self.year
        try one.set("a", "ahead")
        try one.store.synchronize()
        // The machine is cloned.
        for name in one.disk.names(in: one.state) {
            try other.disk.replace(
                other.state + "/" + name, with: try #require(one.disk.contents(of: one.state + "/" + name)))
        }
        other.time = one.time
        try one.set("b", "one")
        try other.set("c", "other")
        try one.send(to: other)
        try other.send(to: one)
        setTimes(Device.noon + 60_000)
        try settle(devices)
        try settle(devices)
        #expect(try third.values == ["a": "ahead", "b": "one", "c": "other"])
        try third.set("a", "third")
        try settle(devices)
        #expect(try devices.allSatisfy { try $0.value("a") == "third" })
    }

    @Test(
        "When all clocks are right again, the file of a device that was thrown away while it was ahead keeps no other from setting its clock right"
    )
    func theFileOfA()
        throws
    {
        third.time += 10 * Self.year
        try third.set("lost", "third")
        try third.send(to: one, other)
        one.time += Self.year
        try one.set("a", "ahead")
        one.time -= Self.year - 60_000
        try one.set("a", "right")
        other.time += 120_000
        try settle([one, other])
        try other.set("a", "other")
        try settle([one, other])
        #expect(try one.values == ["a": "other"])
        // What only the lost device had comes when it is due.
        for device in [one, other] { device.time += 11 * Self.year }
        try settle([one, other])
        #expect(try one.values == ["a": "other", "lost": "third"])
    }

    @Test(
        "When all clocks are right again, a change made after the clock was set back wins over what its device had seen",
        arguments: [60_000, 3_600_000, Device.day, Device.day * 3 / 2, 2 * Device.day, 3 * Self.year] as [Int64])
    func aChangeMadeAfter(distance: Int64) throws {
        try other.set("a", "1")
        try settle(devices)
        try one.set("a", "2")
        try settle([one, other])
        one.time -= distance
        one.restart()
        try one.set("a", "3")
        try one.set("b", "1")
        try one.send(to: other, third)
        try other.store.refresh()
        #expect(try other.value("a") == "3")
        setTimes(Device.noon + 60_000)
        try settle(devices)
        #expect(try third.values == ["a": "3", "b": "1"])
        try one.set("b", "2")
        try settle(devices)
        #expect(try third.values == ["a": "3", "b": "2"])
    }

    @Test(
        "When all clocks are right again, a conflict copy from the time of the wrong clock never wins over what its writer set afterwards",
        arguments: [false, true])
    func aConflictCopyFrom(
        isRemoved: Bool
    ) throws {
        one.time += Self.year
        try one.set("a", "ahead")
        try one.store.synchronize()
        let copy = try one.ownFile.data
        try other.put(copy, "Settings (conflicted copy).jsonl")
        one.time -= Self.year - 60_000
        try one.set("a", isRemoved ? nil : "right")
        other.time += 60_000
        try settle([one, other])
        let expected = isRemoved ? nil : "right"
        #expect(try other.value("a") == expected)
        for time in [Self.year / 2, Self.year, 2 * Self.year, 10 * Self.year] {
            for device in [one, other] {
                device.time = Device.noon + time + 120_000
                device.restart()
            }
            try settle([one, other])
            try third.put(copy, "copy.jsonl")
            #expect(try other.value("a") == expected, "after \(time / Device.day) days")
        }
    }

    @Test(
        "When all clocks are right again, all have what a device wrote whose clock was wrong at 70 starts, and corrected each time",
        arguments: [0, 2 * Device.day])
    func allHaveWhatA(step: Int64) throws {
        let starts = 70
        for start in 0..<starts {
            let right = one.time + 60_000
            // Without a battery, a clock shows about the same at each start. If it shows less, each start has a time in the
            // future that no later one exceeds.
            one.time = Device.noon + Self.year - Int64(start) * step
            one.restart()
            try one.set("wrong \(start)", "\(start)")
            one.time = right
            try one.set("right \(start)", "\(start)")
            try one.store.synchronize()
        }
        for device in devices { device.time = one.time }
        try settle(devices)
        #expect(try third.values.count == 2 * starts)
        for device in devices {
            #expect(try device.store.report.problems.isEmpty)
            let header = try #require(replicaFile(Array(try device.ownFile.data))?.header)
            #expect(header.accepted.times.count == (step == 0 ? 1 : DirectoryLimits.acceptedEpochs))
        }
        try third.set("wrong 0", "new")
        try settle(devices)
        #expect(try one.value("wrong 0") == "new")
    }

    @Test(
        "When all clocks are right again, an entry of an epoch that no device can have reached is damage, and changes nothing"
    )
    func anEntryOfAn() throws {
        try one.set("a", "1")
        try one.store.synchronize()
        let far = SharedRecord(name: "a", entry: sharedEntry("far", Device.noon, epoch: 1 << 21, by: 9))
        let header = ReplicaHeader(replica: ReplicaID(9), device: "nine", written: Device.noon, recordCount: 1)
        try one.put(Data(ReplicaFileWriter.bytes(header, [far])), "nine.jsonl")
        try one.store.refresh()
        #expect(try one.value("a") == "1")
        #expect(try one.store.report.problems.map(\.kind) == [.damaged])
        try one.set("a", "2")
        #expect(try #require(replicaFile(Array(try one.exported))).records.first?.entry.stamp.moment.epoch == 0)
    }
}

extension Device {
    /// The own file after everything was written.
    fileprivate var exported: Data {
        get throws {
            try store.synchronize()
            return try ownFile.data
        }
    }
}

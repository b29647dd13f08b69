import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("Clocks that are wrong")
struct ClockTests {
    private let one: Device
    private let other: Device

    init() throws {
        one = try Device("one")
        other = try Device("other")
    }

    private static let years = 365 * Device.day

    @Test("A change by a device ten years ahead is held back, reported, moves no clock, and does not win")
    func aheadPeer() throws {
        try one.set("a", "1")
        try settle([one, other])
        one.time += 10 * Self.years
        try one.set("a", "future")
        try one.set("new", "future")
        try one.send(to: other)
        let (service, problems) = SettingsService.over(try other.store)
        defer { withExtendedLifetime(service) {} }
        try other.store.refresh()
        #expect(try other.values == ["a": "1"])
        #expect(problems.codes == [.heldBack])
        #expect(try other.store.report.problems.map(\.kind) == [.heldBack])
        #expect(try other.store.report.problems.map(\.recordCount) == [2])
        try other.set("a", "2")
        let third = try Device("third")
        try other.send(to: third)
        try one.send(to: third)
        try third.store.refresh()
        #expect(try third.values == ["a": "2"])
        // The own clock is where it was.
        try other.store.synchronize()
        let text = String(decoding: try other.ownFile.data, as: UTF8.self)
        #expect(!text.contains(/203\d-/))
    }

    @Test("A change held back is applied when it is due, also after a restart", arguments: [true, false])
    func due(isRestarted: Bool) throws {
        one.time += 3 * Device.day
        try one.set("a", "future")
        try one.send(to: other)
        try other.store.refresh()
        #expect(try other.values == [:])
        other.time += 2 * Device.day + 1
        if isRestarted { other.restart() }
        try other.store.refresh()
        #expect(try other.values == ["a": "future"])
        #expect(try other.store.report.problems.isEmpty)
    }

    @Test("A clock that is less than a day ahead is believed")
    func slightlyAhead() throws {
        one.time += Device.day
        try one.set("a", "1")
        try settle([one, other])
        #expect(try other.values == ["a": "1"])
        try other.set("a", "2")
        try settle([one, other])
        #expect(try one.values == ["a": "2"])
    }

    @Test(
        "After the own clock was a year ahead and was corrected, new changes win, everywhere", arguments: [true, false])
    func corrected(isRestarted: Bool) throws {
        try one.set("a", "1")
        try settle([one, other])
        one.time += Self.years
        try one.set("a", "future")
        try one.set("b", "future")
        try one.set("c", "future")
        try one.set("c", nil)
        try one.send(to: other)
        one.time -= Self.years - 60_000
        if isRestarted { one.restart() }
        try one.set("a", "2")
        other.time += 120_000
        try settle([one, other])
        #expect(try one.values == ["a": "2", "b": "future"])
        #expect(try other.store.report.problems.isEmpty)
        try other.set("b", "3")
        try settle([one, other])
        #expect(try one.values == ["a": "2", "b": "3"])
    }

    @Test("A clock that was corrected is so for all processes of the device")
    func correctedForAll() throws {
        try settle([one, other])
        let stores = try [one.process(), one.process()]
        one.time += Self.years
        try stores[0].set(key("a"), to: Data("future".utf8))
        try stores[1].set(key("b"), to: Data("future".utf8))
        one.time -= Self.years
        try stores[0].set(key("a"), to: Data("1".utf8))
        try stores[1].set(key("b"), to: Data("1".utf8))
        try stores[1].synchronize()
        let records = try #require(replicaFile(Array(try one.ownFile.data))).records
        #expect(records.count == 2)
        #expect(records.allSatisfy { $0.entry.stamp.moment >= HybridMoment(epoch: 1, instant: .earliest) })
        #expect(records.allSatisfy { $0.entry.stamp.moment.instant.milliseconds < Device.noon + Device.day })
        #expect(stores[0].get(key("a")) == Data("1".utf8))
    }

    @Test("A clock that is behind for a while undoes nothing that was set or removed with the right one")
    func behind() throws {
        for name in ["a", "b", "c"] { try one.set(name, "1") }
        try settle([one, other])
        one.time += 10_000
        try one.set("a", nil)
        try one.set("b", "2")
        let right = one.time
        let id = try one.ownFile.name
        for time: Int64 in [5_000, right - 3 * Device.day] {
            one.restart()
            one.time = time
            try one.store.refresh()
            try one.set("c", "\(time)")
            try one.store.synchronize()
        }
        one.restart()
        one.time = right + 60_000
        try settle([one, other])
        #expect(try one.values == ["b": "2", "c": "\(right - 3 * Device.day)"])
        #expect(try one.ownFile.name == id)
    }

    @Test(
        "A clock that goes back makes no change lose against an earlier one of the same device",
        arguments: [2, 5 * 365])
    func backwards(days: Int64) throws {
        try one.set("a", "1")
        try settle([one, other])
        one.time -= days * Device.day
        try one.set("a", "2")
        one.restart()
        try one.set("a", "3")
        try settle([one, other])
        #expect(try other.values == ["a": "3"])
        one.time += days * Device.day + 1_000
        one.restart()
        try settle([one, other])
        #expect(try one.values == ["a": "3"])
    }

    @Test(
        "A change made while the clock was ahead follows earlier changes, even those made while it was a little ahead"
    )
    func aheadTwice() throws {
        one.time += 180_000
        try one.set("a", "1")
        try settle([one, other])
        one.time += Self.years
        try one.set("a", "2")
        one.time -= Self.years + 120_000
        try settle([one, other])
        #expect(try other.values == ["a": "2"])
        #expect(try one.store.replicas.count == 2)
    }

    @Test("After the clock was ahead, copies of the state are noticed, and new settings are no returning ones")
    func aheadWithRemovals() throws {
        try one.set("a", "1")
        try one.set("a", nil)
        one.time += Self.years
        one.restart()
        try one.store.synchronize()
        one.time -= Self.years
        one.restart()
        let (service, problems) = SettingsService.over(try one.store)
        defer { withExtendedLifetime(service) {} }
        try other.set("b", "1")
        try settle([one, other])
        #expect(try one.values == ["b": "1"])
        #expect(problems.codes.isEmpty)
    }

    @Test("A device whose clock shows a nonsensical time works", arguments: [Int64.min, -1, 0, .max])
    func nonsense(time: Int64) throws {
        one.time = time
        try one.set("a", "1")
        try one.set("a", "2")
        try one.store.synchronize()
        one.restart()
        #expect(try one.values == ["a": "2"])
        one.time = Device.noon
        try one.set("a", "3")
        try settle([one, other])
        #expect(try other.values == ["a": "3"])
    }
}

@Suite("Removals that are remembered, and forgotten")
struct TombstoneTests {
    private let (one, other, third): (Device, Device, Device)

    init() throws { (one, other, third) = try (Device("one"), Device("other"), Device("third")) }

    private var devices: [Device] { [one, other, third] }

    private func pass(days: Int64, _ devices: [Device]) {
        for device in devices {
            device.time += days * Device.day
            device.restart()
        }
    }

    private func entryCount(_ device: Device) throws -> Int {
        try #require(try device.store.replicas.first { $0.isOwn }).entryCount
    }

    @Test("A removal is forgotten after half a year, once every device has received it")
    func forgotten() throws {
        try one.set("a", "1")
        try one.set("b", "1")
        try settle(devices)
        try one.set("a", nil)
        try settle(devices)
        pass(days: 179, devices)
        try one.set("b", "2")
        try settle(devices)
        #expect(try entryCount(one) == 2)
        // On the first day, no other device has vouched for the time yet.
        for day in 0..<3 {
            pass(days: 1, devices)
            try one.set("b", "\(day)")
            try settle(devices)
        }
        try one.set("b", "3")
        try settle(devices)
        #expect(try devices.map { try entryCount($0) } == [1, 1, 1])
        #expect(try third.values == ["b": "3"])
    }

    @Test("A removal is remembered for as long as a file is there that still has the value")
    func contradicted() throws {
        try one.set("a", "1")
        try settle(devices)
        // The third device sleeps; its file stays where it is.
        try one.set("a", nil)
        try settle([one, other])
        pass(days: 400, devices)
        try settle([one, other])
        try one.set("b", "1")
        try settle([one, other])
        try third.set("c", "1")
        try settle(devices)
        #expect(try third.values == ["b": "1", "c": "1"])
        #expect(try one.values == ["b": "1", "c": "1"])
    }

    @Test("A value that returns after its removal was forgotten is reported")
    func returned() throws {
        try one.set("a", "1")
        try settle(devices)
        let (name, old) = try third.ownFile
        // The third device's file was removed.
        for device in [one, other] { try device.remove(name) }
        try one.set("a", nil)
        try settle([one, other])
        pass(days: 200, devices)
        // On the first day the other device has not yet written that it knows of the removal.
        for day in 0..<3 {
            try one.set("b", "\(day)")
            try settle([one, other])
            pass(days: 1, devices)
        }
        #expect(try entryCount(one) == 1)
        let (service, problems) = SettingsService.over(try one.store)
        defer { withExtendedLifetime(service) {} }
        try one.put(old, name)
        try one.store.refresh()
        #expect(try one.value("a") == "1")
        #expect(problems.codes == [.valuesReturned])
        try settle(devices)
    }

    @Test("A value does not come back if any file that is there says that it was removed")
    func knownToOther() throws {
        try one.set("a", "1")
        try settle(devices)
        let (name, old) = try third.ownFile
        for device in [one, other] { try device.remove(name) }
        try one.set("a", nil)
        try settle([one, other])
        // It now has the removal in its file.
        try other.set("c", "1")
        try settle([one, other])
        pass(days: 200, [one, other])
        try other.set("c", "2")
        // The other device's file as it is while it has not forgotten the removal itself.
        let (otherName, withRemoval) = try other.ownFile
        #expect(String(decoding: withRemoval, as: UTF8.self).contains("deleted"))
        for day in 0..<2 {
            try one.set("b", "\(day)")
            try one.store.synchronize()
            one.restart()
        }
        try one.put(HostileFile.wrongTypes.data, "Settings-damaged.jsonl")
        try one.put(withRemoval, otherName)
        try one.put(old, name)
        try one.store.refresh()
        #expect(try one.value("a") == nil)
        try one.remove("Settings-damaged.jsonl")
        try one.store.refresh()
        #expect(try one.value("a") == nil)
    }

    @Test("Devices that look at the directory at different times of the day do not remind each other for ever")
    func outOfPhase() throws {
        try one.set("a", "1")
        try settle([one, other])
        try one.set("a", nil)
        try settle([one, other])
        pass(days: 200, [one, other])
        for day in 0..<6 {
            let devices = day.isMultiple(of: 2) ? [one, other] : [other, one]
            for device in devices {
                device.time += Device.day / 2
                device.restart()
                try device.set("b", "\(day) \(device.name)")
                try device.send(to: device === one ? other : one)
            }
        }
        #expect(try [one, other].map { try entryCount($0) } == [1, 1])
    }

    @Test("Of two old values in one file the later comes back")
    func returnedTwice() throws {
        let stamp = { Stamp(Instant(milliseconds: Device.noon - $0), replica: 9) }
        let records = [Int64(1), 2].map { age in
            SharedRecord(name: "x", entry: SharedEntry(stamp: stamp(age), value: Data("\(age)".utf8)))
        }
        let header = ReplicaHeader(replica: ReplicaID(9), device: "nine", written: Device.noon, recordCount: 2)
        try one.set("a", "1")
        try one.set("a", nil)
        pass(days: 400, [one])
        try one.store.synchronize()
        try one.put(Data(ReplicaFileWriter.bytes(header, records)), "nine")
        try one.store.refresh()
        #expect(try one.value("x") == "1")
    }
}

import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

@Suite("A device that was away")
struct ReturningDeviceTests {
    private let one: Device
    private let away: Device
    private let third: Device

    init() throws {
        one = try Device("one")
        away = try Device("away")
        third = try Device("third")
    }

    private func pass(days: Int64, _ devices: [Device]) {
        for device in devices {
            device.time += days * Device.day
            device.restart()
        }
    }

    /// Has some devices run on several days, long after removals need to be remembered.
    private func liveOn(_ devices: [Device]) throws {
        pass(days: 200, devices)
        for day in 0..<3 {
            try devices[0].set("day", "\(day)")
            try settle(devices)
            pass(days: 1, devices)
        }
    }

    @Test("A device that was away brings back no removed value that its state knew and its file did not have")
    func bringsBackNoRemoved() throws {
        try away.set("own", "1")
        try settle([one, away, third])
        try one.set("x", "1")
        try one.send(to: away, third)
        // It has received the value, and ends before its file has it.
        try away.store.refresh()
        #expect(try away.value("x") == "1")
        away.restart()
        try one.set("x", nil)
        try settle([one, third])
        try liveOn([one, third])
        away.time = one.time
        try settle([one, away, third])
        #expect(try away.value("x") == nil)
        #expect(try one.values == ["own": "1", "day": "2"])
    }

    @Test(
        "A device that was away gets no removed value back after others looked at an empty directory",
        arguments: [true, false])
    func getsNoRemovedValueBack(isLongAgo: Bool) throws {
        try away.set("own", "1")
        try settle([one, away, third])
        try one.set("x", "1")
        try one.send(to: away, third)
        try away.store.refresh()
        away.restart()
        try one.set("x", nil)
        try settle([one, third])
        pass(days: 200, [one, third])
        // The volume is not mounted, or the syncer has not brought the files yet.
        let files = one.files
        for name in files.keys { try one.remove(name) }
        for _ in 0..<2 {
            try one.store.synchronize()
            pass(days: 1, [one, third])
        }
        for (name, data) in files { try one.put(data, name) }
        if isLongAgo { try liveOn([one, third]) }
        for device in [away, third] { device.time = one.time }
        try settle([one, away, third])
        #expect(try away.value("x") == nil)
        #expect(try one.value("x") == nil)
    }

    @Test(
        "A device that was away lets the last removal of a device be forgotten by all, also if that device forgets it first"
    )
    func letsTheLastRemoval() throws {
        try one.set("x", "1")
        try one.set("x", nil)
        let devices = [one, away, third]
        try settle(devices)
        // No device changes anything more.
        for _ in 0..<4 {
            pass(days: 100, devices)
            try settle(devices)
        }
        for device in devices {
            let own = try #require(try device.store.replicas.first { $0.isOwn })
            #expect(own.entryCount == 0, "\(device.name)")
        }
    }

    @Test("A removal is forgotten soon after a device that was away has received it")
    func hasARemovalForgotten() throws {
        try one.set("x", "1")
        try settle([one, away, third])
        try one.set("x", nil)
        try settle([one, third])
        try liveOn([one, third])
        let count = { try #require(try one.store.replicas.first { $0.isOwn }).entryCount }
        #expect(try count() == 2)
        away.time = one.time
        try settle([one, away, third])
        try liveOn([one, away, third])
        #expect(try count() == 1)
        #expect(try third.values == ["day": "2"])
    }

    @Test("A device that was away does not count as knowing changes that arrived in part or are held back")
    func doesNotCountAs() throws {
        try settle([one, away])
        try one.set("x", "1")
        try one.set("y", "1")
        try settle([one, away])
        try one.set("x", nil)
        try one.store.synchronize()
        let file = try one.ownFile
        let lines = file.data.split(separator: UInt8(ascii: "\n"))
        // The removal is in the line that is missing.
        let part = lines.filter { !String(decoding: $0, as: UTF8.self).contains("deleted") }
        try away.put(Data(part.joined(separator: [UInt8(ascii: "\n")])), file.name)
        try away.store.synchronize()
        #expect(try away.value("x") == "1")
        let ownID = try #require(try one.store.replicas.first { $0.isOwn }).id
        let heard = try #require(replicaFile(Array(try away.ownFile.data))?.header).heard
        let removal = try #require(replicaFile(Array(file.data))?.records.first { $0.name == "x" }).entry.stamp
        #expect(removal.replica.description == ownID)
        #expect(!heard.covers(removal))
        try away.put(file.data, file.name)
        try away.store.synchronize()
        #expect(try #require(replicaFile(Array(try away.ownFile.data))?.header).heard.covers(removal))
    }

    @Test("A device that was away gets no removed value back from a large part of another that was not written since")
    func getsNoRemovedValue() throws {
        let one = try Device("one", headLimit: 400)
        for number in 0..<20 { try one.set("key\(number)", "value") }
        try settle([one, away])
        let size = { try one.ownFiles.first?.data.count ?? 0 }
        let before = try size()
        try one.set("key7", nil)
        try settle([one, away])
        // The large part still has the value.
        #expect(try size() == before)
        try liveOn([one, away])
        try liveOn([one, away])
        let records = try one.ownFiles.flatMap { replicaFile(Array($0.data))?.records ?? [] }
        #expect(!records.contains { $0.name == "key7" && !$0.entry.isTombstone })
        let state = try #require(one.disk.contents(of: one.state + "/State.plist"))
        #expect(!String(decoding: state, as: UTF8.self).contains("key7"))
        one.restart()
        away.restart()
        try settle([one, away])
        #expect(try away.value("key7") == nil)
        #expect(try one.values.count == 20)
    }

    @Test(
        "A device that was away is named in the report if it has written nothing for long, with the removals that are kept because of it"
    )
    func isNamedInThe()
        throws
    {
        try one.set("x", "1")
        try one.set("y", "1")
        try settle([one, away, third])
        let name = try away.ownFile.name
        try one.set("x", nil)
        try one.set("y", nil)
        try settle([one, third])
        #expect(try one.store.report.problems.isEmpty)
        pass(days: 370, [one, third])
        try settle([one, third])
        let problem = try #require(try one.store.report.problems.first)
        #expect(problem.kind == .abandoned)
        #expect(problem.file == name)
        #expect(problem.recordCount == 2)
        #expect(problem.description.contains("delete it"))
        // What the report suggests helps: at once for the report, and after as long again for the removals.
        for device in [one, third] {
            try device.remove(name)
            device.restart()
        }
        try settle([one, third])
        #expect(try one.store.report.problems.isEmpty)
        #expect(try one.store.replicas.first?.entryCount == 2)
        for _ in 0..<2 {
            pass(days: 181, [one, third])
            try settle([one, third])
        }
        #expect(try one.store.replicas.first?.entryCount == 0)
    }

    @Test("A device that was away is not what a first import looks like after removals were forgotten")
    func isNotWhatA() throws {
        try one.set("x", "1")
        try one.set("x", nil)
        try liveOn([one])
        let stamp = Stamp(.earliest, by: ReplicaID(9))
        let record = SharedRecord(name: "imported", entry: SharedEntry(stamp: stamp, value: Data("1".utf8)))
        let header = ReplicaHeader(replica: ReplicaID(9), device: "new", written: one.time, recordCount: 1)
        let (service, problems) = SettingsService.over(try one.store)
        defer { withExtendedLifetime(service) {} }
        try one.put(Data(ReplicaFileWriter.bytes(header, [record])), "new.jsonl")
        try one.store.refresh()
        #expect(try one.value("imported") == "1")
        #expect(problems.codes.isEmpty)
    }
}

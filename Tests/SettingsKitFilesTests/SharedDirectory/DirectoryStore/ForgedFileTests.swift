import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles

/// Files of no device, with right checks.
@Suite("A forged file")
struct ForgedFileTests {
    private let (one, other): (Device, Device)
    private static let last = HybridMoment(epoch: 63, instant: Instant(milliseconds: Instant.latestMilliseconds))

    init() throws { (one, other) = try (Device("one"), Device("other")) }

    private var devices: [Device] { [one, other] }

    /// The times until the year 9999 of as many epochs as a head may have, and the moments of as many replicas.
    private func header(_ replica: UInt64, epochs: Int = 64, heard count: UInt64 = 1_000) -> ReplicaHeader {
        let times = (0..<epochs).map { (UInt32($0), Instant.latestMilliseconds - Int64($0)) }
        let heard = (0..<count).map { (ReplicaID(replica &+ $0), Self.last) }
        return ReplicaHeader(
            replica: ReplicaID(replica), device: "forged", written: Device.noon, recordCount: 0,
            accepted: AcceptedTimes(Dictionary(uniqueKeysWithValues: times)),
            heard: HeardMoments(Dictionary(uniqueKeysWithValues: heard)))
    }

    private func put(_ header: ReplicaHeader, _ device: Device) throws {
        try device.put(Data(ReplicaFileWriter.bytes(header, [])), "forged.jsonl")
    }

    /// What the heads and the states say, without what depends on when they were written.
    private func said() throws -> [[AnyHashable]] {
        try devices.map { device in
            let header = try #require(replicaFile(Array(try device.ownFile.data))?.header)
            let memory = try device.core().state.memory
            return [header.accepted, header.heard, memory.accepted, memory.heard]
        }
    }

    @Test("A forged file with as many epochs and replicas as a head may have leaves no trace when it is deleted")
    func leavesNoTrace() throws {
        try one.set("a", "1")
        try other.set("b", "1")
        try settle(devices)
        let before = try said()
        for isRestarted in [false, true] {
            for device in devices { try put(header(1_000_000), device) }
            try settle(devices)
            #expect(try devices.allSatisfy { try $0.store.report.problems.isEmpty })
            for device in devices {
                try device.remove("forged.jsonl")
                if isRestarted { device.restart() }
            }
            try settle(devices)
            #expect(try said() == before)
            #expect(try devices.allSatisfy { try $0.store.report.problems.isEmpty })
        }
        // New changes, and a clock that is wrong for a moment, are as ever.
        one.time += 365 * Device.day
        try one.set("a", "2")
        one.time -= 365 * Device.day - 60_000
        try settle(devices)
        #expect(try other.values == ["a": "2", "b": "1"])
    }

    @Test("A forged file with a device's ID leaves no trace when it is deleted", arguments: [false, true])
    func withADevicesID(isRestarted: Bool) throws {
        try one.set("a", "1")
        try other.set("b", "1")
        try settle(devices)
        let before = try said()
        for device in devices {
            let number = try #require(replicaFile(Array(try one.ownFile.data))?.header).replica.number
            try put(header(number), device)
        }
        try settle(devices)
        for device in devices {
            try device.remove("forged.jsonl")
            if isRestarted { device.restart() }
        }
        try settle(devices)
        #expect(try said() == before)
        #expect(try devices.allSatisfy { try $0.store.report.problems.isEmpty })
    }

    @Test("A forged file cannot say of a replica that a later change was heard than any file has")
    func cannotSayOf() throws {
        try one.set("a", "1")
        try settle(devices)
        let own = try #require(replicaFile(Array(try one.ownFile.data))?.header).replica
        let heard = { try other.core().state.memory.heard.moments[own] }
        let moment = try #require(try heard())
        var header = header(1_000_000, epochs: 0, heard: 1)
        header.heard.raise(own, to: Self.last)
        try put(header, other)
        try other.store.synchronize()
        #expect(try heard() == moment)
    }

    @Test("A forged file accepts nothing once it is gone, also for a record that it has accepted in another file")
    func acceptsNothing() throws {
        let record = SharedRecord(name: "a", entry: sharedEntry("1", Device.noon + 9 * Device.day, by: 9))
        let nine = ReplicaHeader(replica: ReplicaID(9), device: "nine", written: Device.noon, recordCount: 1)
        let file = Data(ReplicaFileWriter.bytes(nine, [record]))
        try put(header(1_000_000), one)
        try one.store.synchronize()
        try one.remove("forged.jsonl")
        try one.put(file, "nine.jsonl")
        try one.store.refresh()
        #expect(try one.value("a") == nil)
        #expect(try one.store.report.problems.map(\.kind) == [.heldBack])
        // What is held is vouched for, whatever has become of the reason for it.
        try put(header(1_000_000), one)
        try one.store.synchronize()
        #expect(try one.value("a") == "1")
        try one.remove("forged.jsonl")
        try settle(devices)
        #expect(try other.value("a") == "1")
        let accepted = try #require(replicaFile(Array(try one.ownFile.data))?.header).accepted
        #expect(accepted == AcceptedTimes([0: Device.noon + 9 * Device.day]))
    }

    @Test("A forged file with more epochs and replicas than a head may have is used as far as it goes")
    func isUsedAsFar() throws {
        let many = (0..<1_100).map { (UInt64($0), Device.noon - Int64($0)) }
        let records = many.map { number, time in
            SharedRecord(name: "\(number)", entry: sharedEntry("1", time, by: 1_000_000 + number))
        }
        let heard = many.map { (ReplicaID(1_000_000 + $0), HybridMoment(epoch: 0, instant: Instant(milliseconds: $1))) }
        let times = (0..<200).map { "\"\($0)\":\"\(InstantText.text(Device.noon + Int64(400 - $0) * Device.day))\"" }
        var file = checkedLine(
            ReplicaFile.magic + "\"version\":1,\"replica\":\"\(ReplicaID(1_000_000 + 1_099))\",\"device\":\"x\""
                + ",\"written\":\"\(InstantText.text(Device.noon))\",\"records\":\(many.count)"
                + ",\"accepted\":{\(times.joined(separator: ","))},\"heard\":{"
                + heard.map { "\"\($0)\":[\"\(InstantText.text($1.instant.milliseconds))\",\($1.instant.order),0]" }
                .joined(separator: ",") + "}")
        for record in records { ReplicaFileWriter.append(record, to: &file) }
        try one.put(Data(file), "many.jsonl")
        try settle(devices)
        #expect(try other.values.count == many.count)
        for device in devices {
            #expect(try device.store.report.problems.isEmpty)
            let header = try #require(replicaFile(Array(try device.ownFile.data))?.header)
            #expect(header.heard.moments.count == DirectoryLimits.heardReplicas)
            // The replicas with the latest changes.
            let newest = heard.prefix(DirectoryLimits.heardReplicas - 2)
            #expect(newest.allSatisfy { header.heard.moments[$0.0] == $0.1 })
        }
    }
}

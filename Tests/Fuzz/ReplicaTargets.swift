import Foundation

@testable import SettingsKitFiles

extension FuzzTarget {
    /// A replica's file, as it is, and with the checks of its lines made right.
    static let replicaFile = FuzzTarget(name: "replica") { bytes in
        for file in [bytes, withRightChecks(bytes)] {
            guard case .file(let found) = file.withUnsafeBufferPointer({ ReplicaFileReader.read($0) }) else { continue }
            for record in found.records { requireSameAfterEncoding(record.entry) }
            let header = found.header ?? ReplicaHeader(replica: ReplicaID(1), device: "", written: 0, recordCount: 0)
            let output = ReplicaFileWriter.bytes(header, found.records)
            guard case .file(let again) = output.withUnsafeBufferPointer({ ReplicaFileReader.read($0) }) else {
                fatalError("a file that is written is a replica's")
            }
            require(again.damagedLines == 0 && again.isComplete, "a file that is written is whole")
            require(again.records == found.records, "the records that are written are read")
            require(again.header?.device == header.device, "the name of the device that is written is read")
            require(again.header?.accepted == header.accepted, "accepted times are read unchanged")
            require(again.header?.heard == header.heard, "heard moments are read unchanged")
            require(again.header?.unknownFields == header.unknownFields, "unknown members are kept")
        }
    } seeds: {
        let header = ReplicaHeader(
            replica: ReplicaID(0x1F0A), device: "Ann's \"laptop\"", written: 1_763_740_000_123, recordCount: 0,
            accepted: AcceptedTimes([0: 1_963_740_000_123, 7: 1_863_740_000_123]),
            heard: HeardMoments([
                ReplicaID(7): .earliest,
                ReplicaID(9): HybridMoment(epoch: 3, instant: Instant(milliseconds: 1_763_740_000_123, order: 5)),
            ]), unknownFields: Array("\"new\":[1,{\"a\":null}]".utf8))
        let replica = ReplicaID(7)
        func record(_ name: String, _ value: Data?, _ instant: Instant, unknown: String = "") -> SharedRecord {
            let stamp = Stamp(HybridMoment(epoch: instant == .earliest ? 0 : 1, instant: instant), by: replica)
            return SharedRecord(
                name: name, entry: SharedEntry(stamp: stamp, value: value, unknownFields: Array(unknown.utf8)))
        }
        let records = [
            record("theme", Data("\"dark\"".utf8), Instant(milliseconds: 1_763_740_000_123, order: 3)),
            record("\u{E9}\n\"", nil, Instant(milliseconds: Instant.latestMilliseconds, order: .max)),
            record("data", Data([0, 255, 10]), .earliest, unknown: "\"z\":\"\\u00e9\""),
        ]
        let file = ReplicaFileWriter.bytes(header, records)
        let text = String(decoding: file, as: UTF8.self)
        return [file, Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8), file + file]
    }

    private static func withRightChecks(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let start = output.count
            let isChecked =
                line.count > LineCheck.size && line.suffix(LineCheck.size).starts(with: ",\"check\":\"".utf8)
            output += line.dropLast(isChecked ? LineCheck.size : 1)
            LineCheck.append(to: &output, from: start)
        }
        return output
    }

    /// What a shared store's local state has: entries and what the replica knows of itself; and the joining of entries.
    static let sharedEntry = FuzzTarget(name: "entry") { bytes in
        var input = FuzzInput(bytes)
        var records: [SharedRecord] = []
        let now = input.signed()
        let accepted = AcceptedTimes([0: input.signed()])
        let collected = HybridMoment(epoch: 0, instant: Instant(milliseconds: input.signed()))
        while !input.isAtEnd, records.count < 64 {
            let data = Data(input.bytes())
            if let memory = try? ReplicaMemory(data) {
                require((try? ReplicaMemory(memory.bytes)) == memory, "a replica's memory comes back")
            }
            let entry = SharedEntry(data)
            if let entry {
                requireSameAfterEncoding(entry)
                require(SharedEntry.stamp(in: data) == entry.stamp, "the stamp alone is the entry's")
                require(SharedEntry.value(in: data) == entry.value, "the value alone is the entry's")
                require(SharedEntry.isValue(entry.value, in: data), "the value is recognized")
                records.append(SharedRecord(name: records.count % 3 == 0 ? "a" : "b", entry: entry))
            } else {
                _ = SharedEntry.value(in: data)
                _ = SharedEntry.stamp(in: data)
            }
            let epoch = UInt32(clamping: min(input.integer(), UInt64(HybridMoment.lastEpoch)))
            let moment = HybridMoment(epoch: epoch, instant: Instant(number: input.integer()))
            let stamp = Stamp(moment, by: ReplicaID(input.integer()))
            let built = SharedEntry(stamp: stamp, value: input.byte() & 1 == 0 ? nil : data)
            requireSameAfterEncoding(built)
            records.append(SharedRecord(name: "a", entry: built))
        }
        let merge = SharedMerge(
            own: ReplicaID(7), now: now, accepted: accepted, lastEpoch: HybridMoment.lastEpoch, collected: collected
        ) { _ in nil }
        let winners = Set(merge.outcome(of: records).winners)
        require(winners == Set(merge.outcome(of: records.reversed()).winners), "the order of entries does not matter")
        var clock = HybridClock()
        for winner in winners { clock.observe(winner.entry.stamp.moment) }
        let last = clock.last
        require(clock.next(now: now) > last || last.epoch == HybridMoment.lastEpoch, "a clock goes on")
    } seeds: {
        let entry = SharedEntry(
            stamp: Stamp(
                HybridMoment(epoch: 1, instant: Instant(milliseconds: 1_763_740_000_123)), by: ReplicaID(7)),
            value: Data("\"dark\"".utf8), unknownFields: Array("\"z\":1".utf8)
        ).bytes
        let memory = try ReplicaMemory(replica: ReplicaID(7)).bytes
        func fields(_ data: Data) -> [UInt8] { [UInt8(data.count)] + data + [20, 4, 1] }
        return [[88, 0] + fields(entry), [60, 0] + fields(memory), [0, 0] + fields(entry) + fields(memory)]
    }

    private static func requireSameAfterEncoding(_ entry: SharedEntry) {
        require(SharedEntry(entry.bytes) == entry, "an entry comes back from the local state")
    }
}

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

    /// The entries of a shared store's local state, and its memory of itself.
    static let sharedEntry = FuzzTarget(name: "entry") { bytes in
        let data = Data(bytes)
        if let memory = try? ReplicaMemory(data) {
            require((try? ReplicaMemory(memory.bytes)) == memory, "a replica's memory comes back")
        }
        guard let entry = SharedEntry(data) else {
            _ = (SharedEntry.value(in: data), SharedEntry.stamp(in: data))
            return
        }
        requireSameAfterEncoding(entry)
        require(SharedEntry.stamp(in: data) == entry.stamp, "the stamp alone is the entry's")
        require(SharedEntry.value(in: data) == entry.value, "the value alone is the entry's")
        require(SharedEntry.isValue(entry.value, in: data), "the value is recognized")
    } seeds: {
        let moment = HybridMoment(epoch: 1, instant: Instant(milliseconds: 1_763_740_000_123))
        let entry = SharedEntry(
            stamp: Stamp(moment, by: ReplicaID(7)), value: Data("\"dark\"".utf8), unknownFields: Array("\"z\":1".utf8))
        return try [Array(entry.bytes), Array(ReplicaMemory(replica: ReplicaID(7)).bytes)]
    }

    private static func requireSameAfterEncoding(_ entry: SharedEntry) {
        require(SharedEntry(entry.bytes) == entry, "an entry comes back from the local state")
    }
}

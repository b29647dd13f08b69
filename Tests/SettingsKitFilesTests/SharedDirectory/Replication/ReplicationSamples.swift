import Foundation

@testable import SettingsKitFiles

/// An entry, in short.
func sharedEntry(
    _ value: String?, _ milliseconds: Int64, order: UInt16 = 0, epoch: UInt32 = 0, by replica: UInt64 = 1,
    unknown: String = ""
) -> SharedEntry {
    let instant = Instant(milliseconds: milliseconds, order: order)
    let stamp = Stamp(HybridMoment(epoch: epoch, instant: instant), by: ReplicaID(replica))
    return SharedEntry(stamp: stamp, value: value.map { Data($0.utf8) }, unknownFields: Array(unknown.utf8))
}

extension HybridMoment {
    /// The last moment of the first epoch before some milliseconds since 1970.
    static func before(_ milliseconds: Int64) -> HybridMoment {
        HybridMoment(epoch: 0, instant: Instant(milliseconds: milliseconds - 1, order: .max))
    }
}

extension Stamp {
    init(_ instant: Instant, epoch: UInt32 = 0, replica: UInt64) {
        self.init(HybridMoment(epoch: epoch, instant: instant), by: ReplicaID(replica))
    }
}

/// What a replica knows: all of it, as far as merging goes.
typealias Knowledge = [String: SharedEntry]

extension Knowledge {
    var records: [SharedRecord] { map { SharedRecord(name: $0.key, entry: $0.value) } }

    /// What comes of merging records, without doing it.
    func outcome(
        of records: [SharedRecord], own: UInt64 = 99, now: Int64 = Device.noon,
        accepted: AcceptedTimes = AcceptedTimes(), lastEpoch: UInt32 = HybridMoment.lastEpoch,
        collected: HybridMoment? = nil
    ) -> SharedMerge.Outcome {
        SharedMerge(
            own: ReplicaID(own), now: now, accepted: accepted, lastEpoch: lastEpoch, collected: collected
        ) { self[$0] }.outcome(of: records)
    }

    mutating func store(_ records: [SharedRecord]) {
        for record in records { self[record.name] = record.entry }
    }

    func merged(with records: [SharedRecord]) -> Knowledge {
        var result = self
        result.store(outcome(of: records).winners)
        return result
    }
}

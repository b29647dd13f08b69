import Foundation

@testable import SettingsFiles

/// A replica as far as agreeing with others goes: what it knows, its clock, and its machine's.
struct ModelReplica {
    let id: ReplicaID
    private(set) var known = Knowledge()
    private(set) var clock = HybridClock()
    /// How far the machine's clock is from the right time, in milliseconds.
    var error: Int64 = 0
    /// Whether it took writes under its own ID for somebody else's.
    private(set) var hasMetItself = false

    init(id: UInt64) { self.id = ReplicaID(id) }

    /// Sets what was ahead anew if the machine's clock is found to have been corrected.
    mutating func correctClock(at time: Int64) {
        let restamping = Restamping(own: id, now: time + error)
        guard clock.isAhead(of: time + error), !restamping.isContradicted(by: known.records) else { return }
        clock = HybridClock()
        known.store(restamping.outcome(of: known.records, clock: &clock))
    }

    /// - Returns: the entry that says it.
    mutating func set(_ name: String, to value: Data?, at time: Int64) -> SharedEntry {
        correctClock(at: time)
        let stamp = Stamp(instant: clock.next(now: time + error), replica: id)
        let entry = SharedEntry(stamp: stamp, value: value)
        known[name] = entry
        return entry
    }

    /// The bytes by which it tells others what it knows.
    func file(at time: Int64) -> [UInt8] {
        let records = known.records.sorted { $0.name < $1.name }
        let header = ReplicaHeader(replica: id, device: "model", written: time, recordCount: records.count)
        return ReplicaFileWriter.bytes(header, records)
    }

    mutating func receive(_ records: [SharedRecord], at time: Int64) {
        correctClock(at: time)
        let outcome = known.outcome(of: records, own: id.number, now: time + error)
        known.store(outcome.winners)
        for winner in outcome.winners { clock.observe(winner.entry.stamp.instant) }
        hasMetItself = hasMetItself || outcome.hasForeignWritesOfOwn
    }
}

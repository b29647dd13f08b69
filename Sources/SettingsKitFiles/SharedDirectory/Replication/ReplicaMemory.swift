import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The replica's own data in the local state. It is stored under the empty name, which no setting has.
struct ReplicaMemory: Sendable, Hashable {
    static let name = ""
    private static let format = 1

    var replica: ReplicaID
    /// The path of the shared directory that the state belongs to. Nil before the first use.
    var directory: String?
    /// The latest moment of a forgotten removal. Nil if there is none.
    var collected: HybridMoment?
    /// The times up to which the replica vouches for entries that are ahead of the machine's clock.
    var accepted = AcceptedTimes()
    /// The moments up to which the replica has heard the changes of each other one.
    var heard = HeardMoments()
    /// The replicas with files in the directory at the last look that found files of others.
    var present: Set<ReplicaID> = []
    /// The time at which files of a replica were last found missing, in milliseconds since 1970; nil if they never were.
    var lastLoss: Int64?
    /// Unknown members of the first line of the replica's file, as JSON text. A newer version has written them.
    var unknownFields: [UInt8] = []

    private struct Form: Codable {
        var accepted: [String: Int64]?
        var collected: MomentForm?
        var directory: String?
        var format: Int
        var heard: [String: MomentForm]?
        var lastLoss: Int64?
        var present: [String]?
        var replica: String
        var unknown: String?
    }

    private struct MomentForm: Codable {
        var epoch: UInt32
        var instant: UInt64

        init(_ moment: HybridMoment) {
            epoch = moment.epoch
            instant = moment.instant.number
        }

        var moment: HybridMoment {
            HybridMoment(epoch: min(epoch, HybridMoment.lastEpoch), instant: Instant(number: instant))
        }
    }

    /// The stored form, as JSON.
    var bytes: Data {
        get throws {
            let accepted = accepted.times.map { ("\($0.key)", $0.value) }
            let heard = heard.moments.map { ($0.key.description, MomentForm($0.value)) }
            let form = Form(
                accepted: accepted.isEmpty ? nil : Dictionary(uniqueKeysWithValues: accepted),
                collected: collected.map(MomentForm.init), directory: directory, format: Self.format,
                heard: heard.isEmpty ? nil : Dictionary(uniqueKeysWithValues: heard), lastLoss: lastLoss,
                present: present.isEmpty ? nil : present.sorted().map(\.description),
                replica: replica.description,
                unknown: unknownFields.isEmpty ? nil : String(decoding: unknownFields, as: UTF8.self))
            return try JSONEncoder.stable().encode(form)
        }
    }

    /// The change that stores it in the local state.
    var change: JournalChange {
        get throws { JournalChange(name: Self.name, data: try bytes) }
    }

    /// - Returns: nil if the bytes are damaged; a new replica begins then.
    /// - Throws: ``ReplicaProblem/newerState(_:)`` if a newer version has written them.
    init?(_ bytes: Data) throws(ReplicaProblem) {
        let form: Form
        do {
            form = try JSONDecoder().decode(Form.self, from: bytes)
        } catch {
            return nil
        }
        guard form.format <= Self.format else { throw .newerState(form.format) }
        guard let replica = ReplicaID(form.replica) else { return nil }
        self.replica = replica
        directory = form.directory
        collected = form.collected?.moment
        accepted = AcceptedTimes(
            Self.dictionary(form.accepted) { epoch, time in UInt32(epoch).map { ($0, time) } })
        heard = HeardMoments(
            Self.dictionary(form.heard) { id, moment in ReplicaID(id).map { ($0, moment.moment) } })
        present = Set((form.present ?? []).compactMap { ReplicaID($0) })
        lastLoss = form.lastLoss
        unknownFields = Array((form.unknown ?? "").utf8)
    }

    private static func dictionary<Value, NewKey, NewValue>(
        _ form: [String: Value]?, _ member: (String, Value) -> (NewKey, NewValue)?
    ) -> [NewKey: NewValue] {
        Dictionary((form ?? [:]).compactMap(member), uniquingKeysWith: { first, _ in first })
    }

    init(replica: ReplicaID) { self.replica = replica }

    /// Records the replicas with files in the directory.
    mutating func record(present: Set<ReplicaID>, now: Int64) {
        if !self.present.isSubset(of: present), !isLossRecent(now) {
            lastLoss = now
        }
        // Without files of others, the directory may be missing; they count as gone for as long as that lasts.
        let hasOthers = present.contains { $0 != replica }
        if hasOthers || !self.present.contains(where: { $0 != replica }) { self.present = present }
    }

    /// Lowers the heard moments to the latest `known` changes, and limits their number. Moments of replicas whose files are
    /// missing only because the directory is missing stay.
    mutating func lowerHeard(
        to known: HeardMoments, present: Set<ReplicaID>, limit: Int = DirectoryLimits.heardReplicas
    ) {
        var known = known
        for replica in self.present.subtracting(present) {
            known.raise(replica, to: heard.moments[replica] ?? .earliest)
        }
        heard.lower(to: known, own: replica)
        heard.limit(to: limit, keeping: replica)
    }

    /// Whether a loss was recorded so recently that it is not recorded again.
    private func isLossRecent(_ now: Int64) -> Bool {
        guard let lastLoss, let age = now.subtracting(checked: lastLoss) else { return false }
        return (0..<DirectoryTimings.lossPrecision).contains(age)
    }
}

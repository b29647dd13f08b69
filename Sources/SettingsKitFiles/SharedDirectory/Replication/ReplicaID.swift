import SettingsKitPlatform

/// The ID of a replica: one local state, on one device.
///
/// IDs are drawn at random, so no coordination is needed. With fewer than some millions of replicas, a failure of the
/// disk is more likely than two equal IDs.
struct ReplicaID: Hashable, Sendable {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }

    static func random() -> ReplicaID { ReplicaID(.random(in: 1 ... .max)) }
}

extension ReplicaID: Comparable {
    static func < (one: ReplicaID, other: ReplicaID) -> Bool { one.number < other.number }
}

extension ReplicaID: LosslessStringConvertible {
    /// Sixteen lower-case hexadecimal digits.
    var description: String { number.hexDigits }

    init?(_ text: String) {
        guard let number = UInt64(hexDigits: text.utf8) else { return nil }
        self.number = number
    }
}

/// Tells one replica of a shared store from all others: a device, or rather one store's state on it.
///
/// Drawn at random, so that nobody need be asked for it; that two are the same is less likely than a failure of the disk
/// as long as there are fewer than some millions.
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
    var description: String { HexText.text(number) }

    init?(_ text: String) {
        guard let number: UInt64 = HexText.number(text.utf8) else { return nil }
        self.number = number
    }
}

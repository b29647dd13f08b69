/// The cluster that a local file belongs to.
struct StateOwner: Codable, Equatable, Sendable {
    /// The identifier of the cluster; 0 if it is not known.
    var cluster: UInt64 = 0
    /// The addresses at which the cluster was reached.
    var addresses: [String]

    /// Whether the files of `other` probably belong to the same cluster. Only the cluster itself knows; before it is reached, a
    /// common address is enough.
    func isProbably(_ other: StateOwner) -> Bool { !Set(addresses).isDisjoint(with: other.addresses) }

    /// The same owner, with additional addresses.
    func adding(_ other: [String]) -> StateOwner {
        var owner = self
        let new = other.filter { !addresses.contains($0) }
        owner.addresses += new.prefix(max(0, EtcdLimits.recordedAddresses - addresses.count))
        return owner
    }
}

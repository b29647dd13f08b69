import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cluster and the prefix that a local file belongs to.
struct StateOwner: Equatable, Sendable {
    /// The identifier of the cluster; 0 if it is not known.
    var cluster: UInt64 = 0
    var prefix: String
    /// The addresses at which the cluster was reached.
    var addresses: [String]
    /// The number of times that the cluster was found at an earlier revision, because it was restored from a backup.
    var restorations: Int64 = 0

    /// The greatest number of recorded addresses.
    private static let addressLimit = 32

    /// Whether the files of `other` probably belong to the same cluster and prefix. Only the cluster itself knows; before it is
    /// reached, a common address is enough.
    func isProbably(_ other: StateOwner) -> Bool {
        prefix == other.prefix && !Set(addresses).isDisjoint(with: other.addresses)
    }

    /// The same owner, with additional addresses.
    func adding(_ other: [String]) -> StateOwner {
        var owner = self
        let new = other.filter { !addresses.contains($0) }
        owner.addresses += new.prefix(max(0, Self.addressLimit - addresses.count))
        return owner
    }
}

extension StateOwner {
    /// One line of JSON.
    var stored: Data {
        let members: [(name: String, value: JSONText)] = [
            ("cluster", .value("\"\(cluster)\"")), ("prefix", .string(prefix)),
            ("addresses", .array(addresses.map(JSONText.string))), ("restorations", .value("\(restorations)")),
        ]
        return Data(JSONText.object(members).compact.utf8)
    }

    /// Nil for bytes that are not an owner.
    init?(stored: Data) {
        self.init(prefix: "", addresses: [])
        do throws(GatewayFailure) {
            try GatewayReader.read(stored) { (reader) throws(GatewayFailure) in
                try reader.members { (reader, name) throws(GatewayFailure) in
                    switch name {
                    case "cluster": cluster = try reader.integer()
                    case "prefix": prefix = try reader.text()
                    case "addresses":
                        try reader.elements { (reader) throws(GatewayFailure) in addresses.append(try reader.text()) }
                    case "restorations": restorations = try reader.count()
                    default: try reader.skip()
                    }
                }
            }
        } catch {
            return nil
        }
    }
}

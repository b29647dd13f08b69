import SettingsKitCore

/// The addresses of a cluster's members, and the one in use. Pure.
///
/// Each client has its own order, so clients with the same list spread evenly over the members.
struct Endpoints: Sendable {
    private(set) var addresses: [String]
    private var current = 0

    /// - Throws: ``SettingsError`` with the code `unusableEndpoint`. It does not show the address, which may hold a password.
    init(_ texts: [String]) throws(SettingsError) {
        addresses = texts.compactMap(Self.address)
        guard addresses.count == texts.count, !texts.isEmpty else {
            throw SettingsError(.unusableEndpoint, store: "EtcdStore")
        }
    }

    mutating func shuffle() { addresses.shuffle() }

    /// The address to use.
    var address: String { addresses[current] }

    /// Moves to the next address, unless another thread has.
    mutating func leave(_ address: String) {
        if addresses[current] == address { current = (current + 1) % addresses.count }
    }

    /// "http://" if there is no scheme, without a slash at the end.
    private static func address(_ text: String) -> String? {
        var address = text
        if !address.contains("://") { address = "http://" + address }
        while address.hasSuffix("/") { address.removeLast() }
        let parts = address.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "http" || parts[0] == "https", !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"@/?#\\\"<>".utf8.contains($0) })
        else { return nil }
        return address
    }
}

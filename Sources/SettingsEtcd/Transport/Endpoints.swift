import SettingsKitCore

/// The addresses of a cluster's members, and the next one to use. Pure.
///
/// Clients with the same list of addresses spread evenly over the members: each has its own order, uses the first member, and
/// returns to it some time after losing it.
struct Endpoints: Sendable {
    private(set) var addresses: [String]
    private var current = 0
    /// The time of the next attempt at the first member; nil while it is used.
    private var returnTime: ContinuousClock.Instant?
    /// It grows each time that the first member fails.
    private var returnPause = EtcdTimings.returnPauses

    /// - Throws: ``SettingsError`` with the code `unusableEndpoint`. It does not show the address, which may hold a password.
    init(_ texts: [String]) throws(SettingsError) {
        var addresses: [String] = []
        for text in texts {
            guard let address = Self.address(text) else { throw SettingsError(.unusableEndpoint, store: "EtcdStore") }
            addresses.append(address)
        }
        guard !addresses.isEmpty else { throw SettingsError(.unusableEndpoint, store: "EtcdStore") }
        self.addresses = addresses
    }

    /// The same addresses in another order.
    func shuffled(using generator: inout some RandomNumberGenerator) -> Endpoints {
        var endpoints = self
        endpoints.addresses.shuffle(using: &generator)
        return endpoints
    }

    func shuffled() -> Endpoints {
        var generator = SystemRandomNumberGenerator()
        return shuffled(using: &generator)
    }

    /// The address to use.
    mutating func address(at now: ContinuousClock.Instant = .now) -> String {
        if isReturnDue(at: now) { (current, returnTime) = (0, nil) }
        return addresses[current]
    }

    /// Whether the first member should be tried again.
    func isReturnDue(at now: ContinuousClock.Instant = .now) -> Bool { returnTime.map { $0 <= now } ?? false }

    /// Records that a member has answered.
    mutating func succeed(_ address: String) { if address == addresses[0] { returnPause.succeed() } }

    /// Moves to the next address, unless another thread has.
    mutating func leave(_ address: String, at now: ContinuousClock.Instant = .now) {
        guard addresses[current] == address else { return }
        if current == 0 { returnTime = now + returnPause.fail() }
        current = (current + 1) % addresses.count
        if current == 0 { returnTime = nil }
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

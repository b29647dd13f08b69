import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to the gateway: where it goes, its body, and how it can be asked.
struct GatewayMessage: Sendable {
    let path: String
    let body: [UInt8]
    /// Whether carrying out the message twice is harmless.
    let isRepeatable: Bool
    /// Whether the answer is a stream of one result.
    let isAnsweredByStream: Bool
    /// The greatest size of the answer in bytes.
    let answerLimit: Int

    private init(
        _ path: String, _ members: [(name: String, value: JSONText)], isRepeatable: Bool = true,
        isAnsweredByStream: Bool = false, answerLimit: Int = EtcdLimits.smallAnswer
    ) {
        self.path = path
        body = Array(JSONText.object(members).compact.utf8)
        (self.isRepeatable, self.isAnsweredByStream, self.answerLimit) = (isRepeatable, isAnsweredByStream, answerLimit)
    }

    // MARK: Reading

    /// A read of the keys from one key to another.
    struct Range: Sendable {
        var first: Data
        /// The end of the range, which is not read; nil for a single key.
        var end: Data?
        /// The greatest number of entries; 0 for all.
        var limit = 0
        /// The revision to read; 0 for the newest.
        var revision: Int64 = 0
        /// Entries written earlier are left out.
        var minModRevision: Int64 = 0
        var omitsValues = false

        fileprivate var json: JSONText {
            var members: [(name: String, value: JSONText)] = [("key", .base64(first))]
            if let end { members.append(("range_end", .base64(end))) }
            if limit > 0 { members.append(("limit", .integer(Int64(limit)))) }
            if revision > 0 { members.append(("revision", .integer(revision))) }
            if minModRevision > 0 { members.append(("min_mod_revision", .integer(minModRevision))) }
            if omitsValues { members.append(("keys_only", .bool(true))) }
            return .object(members)
        }

        fileprivate var members: [(name: String, value: JSONText)] {
            guard case .object(let members) = json else { return [] }
            return members
        }
    }

    static func range(_ range: Range) -> GatewayMessage {
        GatewayMessage("/v3/kv/range", range.members, answerLimit: EtcdLimits.largeAnswer)
    }

    /// A watch of the keys from one key to another, from a revision.
    static func watch(first: Data, end: Data, from revision: Int64) -> GatewayMessage {
        GatewayMessage(
            "/v3/watch",
            [
                (
                    "create_request",
                    .object([
                        ("key", .base64(first)), ("range_end", .base64(end)), ("start_revision", .integer(revision)),
                        // Otherwise all missed events arrive as one message.
                        ("fragment", .bool(true)),
                    ])
                )
            ])
    }

    // MARK: Writing

    /// A write in a transaction: bytes under a key, or its removal.
    struct Operation: Equatable, Sendable {
        var key: Data
        var value: Data?
        /// The lease with which the key expires; 0 for none.
        var lease: Int64 = 0

        fileprivate var json: JSONText {
            guard let value else {
                return .object([("request_delete_range", .object([("key", .base64(key))]))])
            }
            var members: [(name: String, value: JSONText)] = [("key", .base64(key)), ("value", .base64(value))]
            if lease != 0 { members.append(("lease", .integer(lease))) }
            return .object([("request_put", .object(members))])
        }
    }

    /// A condition for a transaction to write.
    enum Comparison: Equatable, Sendable {
        /// The revision of the key's last write; 0 if the key is missing.
        case modRevision(key: Data, Int64)
        /// The bytes under the key.
        case value(key: Data, Data)

        var key: Data {
            switch self {
            case .modRevision(let key, _), .value(let key, _): key
            }
        }

        fileprivate var json: JSONText {
            let (target, member, value): (String, String, JSONText) =
                switch self {
                case .modRevision(_, let revision): ("MOD", "mod_revision", .integer(revision))
                case .value(_, let value): ("VALUE", "value", .base64(value))
                }
            return .object([
                ("key", .base64(key)), ("target", .string(target)), ("result", .string("EQUAL")), (member, value),
            ])
        }
    }

    /// A transaction that writes if all comparisons hold, and otherwise reads the compared keys.
    static func transaction(_ comparisons: [Comparison], _ operations: [Operation]) -> GatewayMessage {
        let reads = comparisons.map { comparison in
            JSONText.object([("request_range", Range(first: comparison.key).json)])
        }
        return GatewayMessage(
            "/v3/kv/txn",
            [
                ("compare", .array(comparisons.map(\.json))), ("success", .array(operations.map(\.json))),
                ("failure", .array(reads)),
            ], isRepeatable: operations.isEmpty, answerLimit: EtcdLimits.largeAnswer)
    }

    // MARK: Leases and users

    /// - Parameter seconds: The duration of the lease without a renewal.
    static func grantLease(seconds: Int64) -> GatewayMessage {
        GatewayMessage("/v3/lease/grant", [("TTL", .integer(seconds))])
    }

    static func renewLease(_ id: Int64) -> GatewayMessage {
        GatewayMessage("/v3/lease/keepalive", [("ID", .integer(id))], isAnsweredByStream: true)
    }

    /// Ends a lease, and removes its keys.
    static func revokeLease(_ id: Int64) -> GatewayMessage {
        GatewayMessage("/v3/lease/revoke", [("ID", .integer(id))])
    }

    static func authenticate(user: String, password: String) -> GatewayMessage {
        GatewayMessage("/v3/auth/authenticate", [("name", .string(user)), ("password", .string(password))])
    }
}

extension JSONText {
    fileprivate static func base64(_ data: Data) -> JSONText { .value("\"\(data.base64EncodedString())\"") }

    /// A 64-bit integer, which protocol buffers write as a string.
    fileprivate static func integer(_ value: Int64) -> JSONText { .value("\"\(value)\"") }
}

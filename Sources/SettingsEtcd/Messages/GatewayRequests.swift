#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to the gateway: where it goes, its body, and how it can be asked.
struct GatewayMessage: Sendable {
    let path: String
    let body: [UInt8]
    /// Whether the message may be sent to another member after a failure.
    var isRepeatable = true
    /// Whether the answer is a stream of one result.
    var isAnsweredByStream = false
    /// The greatest size of the answer in bytes.
    var answerLimit = EtcdLimits.smallAnswer

    private init(_ path: String, _ body: some Encodable) {
        self.path = path
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Text, bytes and whole numbers can always be encoded.
        self.body = (try? encoder.encode(body)).map(Array.init) ?? []
    }

    // MARK: Reading

    /// A read of the keys from one key to another.
    struct Range: Encodable, Sendable {
        var first: Data
        /// The end of the range, which is not read; nil for a single key.
        var end: Data?
        /// The greatest number of entries; 0 for all.
        @Member var limit: Int64 = 0
        /// The revision to read; 0 for the newest.
        @Member var revision: Int64 = 0
        /// Entries written earlier are left out.
        @Member var minModRevision: Int64 = 0
        @Member var omitsValues = false

        private enum CodingKeys: String, CodingKey {
            case limit, revision
            case first = "key"
            case end = "range_end"
            case minModRevision = "min_mod_revision"
            case omitsValues = "keys_only"
        }
    }

    static func range(_ range: Range) -> GatewayMessage {
        var message = GatewayMessage("/v3/kv/range", range)
        message.answerLimit = EtcdLimits.largeAnswer
        return message
    }

    private struct Watch: Encodable {
        var first: Data
        var end: Data
        @Member var revision: Int64
        /// Otherwise all missed events arrive as one message.
        var fragment = true

        private enum CodingKeys: String, CodingKey {
            case fragment
            case first = "key"
            case end = "range_end"
            case revision = "start_revision"
        }
    }

    /// A watch of a range of keys, from a revision.
    static func watch(_ range: KeyRange, from revision: Int64) -> GatewayMessage {
        let watch = Watch(first: range.prefix, end: range.end, revision: revision)
        return GatewayMessage("/v3/watch", ["create_request": watch])
    }

    // MARK: Writing

    /// A write in a transaction: bytes under a key, or its removal.
    struct Operation: Encodable, Equatable, Sendable {
        var key: Data
        var value: Data?
        /// The lease with which the key expires; 0 for none.
        @Member var lease: Int64 = 0

        private enum Kind: String, CodingKey {
            case put = "request_put"
            case removal = "request_delete_range"
        }

        private enum CodingKeys: String, CodingKey { case key, value, lease }

        func encode(to encoder: any Encoder) throws {
            var kinds = encoder.container(keyedBy: Kind.self)
            var members = kinds.nestedContainer(keyedBy: CodingKeys.self, forKey: value == nil ? .removal : .put)
            try members.encode(key, forKey: .key)
            try members.encodeIfPresent(value, forKey: .value)
            try members.encode(_lease, forKey: .lease)
        }
    }

    /// A condition for a transaction to write.
    struct Comparison: Encodable, Equatable, Sendable {
        let key: Data
        private var target = "VALUE"
        private var result = "EQUAL"
        private var value: Data?
        private var modRevision: String?

        private enum CodingKeys: String, CodingKey {
            case key, target, result, value
            case modRevision = "mod_revision"
        }

        /// The bytes under the key.
        static func value(key: Data, _ value: Data) -> Comparison { Comparison(key: key, value: value) }

        /// The revision of the key's last write; 0 if the key is missing.
        static func modRevision(key: Data, _ revision: Int64) -> Comparison {
            Comparison(key: key, target: "MOD", modRevision: "\(revision)")
        }
    }

    private struct Transaction: Encodable {
        var compare: [Comparison]
        var success: [Operation]
        var failure: [[String: Range]]
    }

    /// A transaction that writes if all comparisons hold, and otherwise reads the compared keys.
    static func transaction(_ comparisons: [Comparison], _ operations: [Operation]) -> GatewayMessage {
        let reads = comparisons.map { ["request_range": Range(first: $0.key)] }
        var message = GatewayMessage(
            "/v3/kv/txn", Transaction(compare: comparisons, success: operations, failure: reads))
        (message.isRepeatable, message.answerLimit) = (false, EtcdLimits.largeAnswer)
        return message
    }

    // MARK: Leases and users

    /// - Parameter seconds: The duration of the lease without a renewal.
    static func grantLease(seconds: Int64) -> GatewayMessage {
        GatewayMessage("/v3/lease/grant", ["TTL": "\(seconds)"])
    }

    static func renewLease(_ id: Int64) -> GatewayMessage {
        var message = GatewayMessage("/v3/lease/keepalive", ["ID": "\(id)"])
        message.isAnsweredByStream = true
        return message
    }

    static func authenticate(user: String, password: String) -> GatewayMessage {
        GatewayMessage("/v3/auth/authenticate", ["name": user, "password": password])
    }
}

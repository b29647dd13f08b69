#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The messages of etcd's gateway are the JSON of protocol buffers: 64-bit integers are strings, bytes are base64, and members
// with the value 0, false or nothing are absent.

/// Reads one message.
///
/// - Throws: ``GatewayFailure/notEtcd(status:)`` if the bytes are not exactly one message.
func readAnswer<Answer: Decodable>(
    _ bytes: some Collection<UInt8>, as type: Answer.Type = Answer.self, status: Int = 200
) throws(GatewayFailure) -> Answer {
    do {
        return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
        throw .notEtcd(status: status)
    }
}

extension KeyedDecodingContainer {
    /// Reads a revision or another number that is not negative; 0 if it is absent. There always is a next revision to ask for.
    fileprivate func count(_ key: Key) throws -> Int64 {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return 0 }
        guard let count = Int64(text), count >= 0, count < .max else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no number")
        }
        return count
    }

    /// Reads bytes, a text, a flag or a list; `absent` stands for an absent one.
    fileprivate func value<Value: Decodable>(_ key: Key, absent: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? absent
    }
}

/// A key of the cluster and its value.
struct ClusterEntry: Decodable, Equatable, Sendable {
    var key = Data()
    var value = Data()
    /// The revision of the last write of the key.
    var modRevision: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case key, value
        case modRevision = "mod_revision"
    }

    init(key: Data, value: Data, modRevision: Int64) {
        (self.key, self.value, self.modRevision) = (key, value, modRevision)
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        key = try members.value(.key, absent: Data())
        value = try members.value(.value, absent: Data())
        modRevision = try members.count(.modRevision)
    }
}

/// The common beginning of all answers.
struct AnswerHeader: Decodable, Equatable, Sendable {
    /// The identifier of the cluster.
    var cluster = ""
    /// The revision of the whole cluster at the time of the answer.
    var revision: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case revision
        case cluster = "cluster_id"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        cluster = try members.value(.cluster, absent: "")
        revision = try members.count(.revision)
    }
}

/// The answer to a read.
struct RangeAnswer: Decodable, Equatable, Sendable {
    var header: AnswerHeader
    var entries: [ClusterEntry]
    /// Whether there are more entries than the request asked for.
    var hasMore: Bool
    /// The number of keys in the range, regardless of the request's limits.
    var count: Int64

    private enum CodingKeys: String, CodingKey {
        case header, count
        case entries = "kvs"
        case hasMore = "more"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        header = try members.value(.header, absent: AnswerHeader())
        entries = try members.value(.entries, absent: [])
        hasMore = try members.value(.hasMore, absent: false)
        count = try members.count(.count)
    }
}

/// The answer to a transaction.
struct TransactionAnswer: Decodable, Sendable {
    var header: AnswerHeader
    var hasSucceeded: Bool
    /// The results of the failure branch's reads, in order.
    var reads: [RangeAnswer]

    private enum CodingKeys: String, CodingKey {
        case header, responses
        case hasSucceeded = "succeeded"
    }

    /// The result of one operation.
    private struct Result: Decodable {
        var read: RangeAnswer?

        private enum CodingKeys: String, CodingKey { case read = "response_range" }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        header = try members.value(.header, absent: AnswerHeader())
        hasSucceeded = try members.value(.hasSucceeded, absent: false)
        reads = try members.value(.responses, absent: [Result]()).compactMap(\.read)
    }
}

/// A message of a watch.
struct WatchAnswer: Decodable, Sendable {
    struct Event: Decodable, Equatable, Sendable {
        enum Kind: String, Decodable { case put = "PUT", removal = "DELETE" }

        var kind: Kind
        var entry: ClusterEntry

        private enum CodingKeys: String, CodingKey {
            case kind = "type"
            case entry = "kv"
        }

        init(_ kind: Kind, _ entry: ClusterEntry) { (self.kind, self.entry) = (kind, entry) }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            // PUT is 0.
            kind = try members.value(.kind, absent: .put)
            entry = try members.decode(ClusterEntry.self, forKey: .entry)
        }
    }

    var header: AnswerHeader
    var isCreated: Bool
    var isCancelled: Bool
    var compactRevision: Int64
    /// Whether the next message continues this one.
    var isFragment: Bool
    var events: [Event]

    private enum CodingKeys: String, CodingKey {
        case header, events
        case isCreated = "created"
        case isCancelled = "canceled"
        case isFragment = "fragment"
        case compactRevision = "compact_revision"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        header = try members.value(.header, absent: AnswerHeader())
        isCreated = try members.value(.isCreated, absent: false)
        isCancelled = try members.value(.isCancelled, absent: false)
        isFragment = try members.value(.isFragment, absent: false)
        compactRevision = try members.count(.compactRevision)
        events = try members.value(.events, absent: [])
    }
}

/// The answer to a request for a lease, or for its renewal.
struct LeaseAnswer: Decodable, Sendable {
    var header: AnswerHeader
    var id: Int64
    /// In seconds; 0 if the lease has expired.
    var timeToLive: Int64

    private enum CodingKeys: String, CodingKey {
        case header
        case id = "ID"
        case timeToLive = "TTL"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        header = try members.value(.header, absent: AnswerHeader())
        id = try members.count(.id)
        timeToLive = try members.count(.timeToLive)
    }
}

/// The answer to a request for a token.
struct TokenAnswer: Decodable, Sendable { var token: String }

/// An answer of which nothing is read.
struct EmptyAnswer: Decodable, Sendable {}

/// A message of a stream: a result, or the error that ends the stream.
struct StreamMessage<Answer: Decodable>: Decodable {
    private let result: Answer?
    private let error: ErrorAnswer

    private enum CodingKeys: String, CodingKey { case result, error }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        result = try members.decodeIfPresent(Answer.self, forKey: .result)
        // An object in a stream; otherwise its members are those of the whole body.
        error = try (try? members.decodeIfPresent(ErrorAnswer.self, forKey: .error)) ?? ErrorAnswer(from: decoder)
    }

    /// Reads `{"result": ...}`, or throws the error in its place.
    static func read(_ line: some Collection<UInt8>, status: Int = 200) throws(GatewayFailure) -> Answer {
        let message = try readAnswer(line, as: Self.self, status: status)
        guard let result = message.result else { throw message.error.failure(status: status) }
        return result
    }
}

/// An answer that reports an error.
struct ErrorAnswer: Decodable {
    private let code: Int64?
    private let message: String?

    private enum CodingKeys: String, CodingKey {
        case code, message
        case formerCode = "grpc_code"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decodeIfPresent(Int64.self, forKey: members.contains(.code) ? .code : .formerCode)
        message = try members.decodeIfPresent(String.self, forKey: .message)
    }

    /// - Returns: The reported failure; `notEtcd` if the answer is not the gateway's.
    fileprivate func failure(status: Int) -> GatewayFailure {
        guard let code else { return .notEtcd(status: status) }
        func says(_ words: String) -> Bool { message?.hasSuffix(words) ?? false }
        // etcd reports this with the code of an overloaded member.
        if says("database space exceeded") { return .noSpace }
        // The member has refused the request before it began to carry it out.
        if says("etcdserver: no leader") { return .noLeader }
        // Users or roles have changed since the token was created. etcd reports that as an invalid argument; its own client then
        // also asks for another token.
        let isOldToken = says("revision of auth store is old") || says("user name is empty")
        return .refused(code: isOldToken ? GatewayFailure.unauthenticated : code, status: status)
    }

    /// Reads the body of an answer with another status than 200.
    static func failure(_ bytes: [UInt8], status: Int) -> GatewayFailure {
        do throws(GatewayFailure) {
            _ = try StreamMessage<EmptyAnswer>.read(bytes, status: status)
            return .notEtcd(status: status)
        } catch {
            return error
        }
    }
}

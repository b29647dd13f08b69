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

/// A value of a message's member, which is absent if the value is the type's first one.
@propertyWrapper
struct Member<Value: GatewayValue>: Codable, Equatable, Sendable {
    var wrappedValue: Value

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

protocol GatewayPart: Codable, Equatable, Sendable {}

protocol GatewayValue: GatewayPart {
    init()
    static func read<Key>(_ members: KeyedDecodingContainer<Key>, _ key: Key) throws -> Self?
    func write<Key>(_ members: inout KeyedEncodingContainer<Key>, _ key: Key) throws
}

extension GatewayValue {
    static func read<Key>(_ members: KeyedDecodingContainer<Key>, _ key: Key) throws -> Self? {
        try members.decodeIfPresent(Self.self, forKey: key)
    }

    func write<Key>(_ members: inout KeyedEncodingContainer<Key>, _ key: Key) throws {
        try members.encode(self, forKey: key)
    }
}

extension Data: GatewayValue {}
extension String: GatewayValue {}
extension Bool: GatewayValue {}
extension Array: GatewayPart, GatewayValue where Element: GatewayPart {}

extension Int64: GatewayValue {
    /// Reads a number that is not negative, and so that there is a next revision to ask for.
    static func read<Key>(_ members: KeyedDecodingContainer<Key>, _ key: Key) throws -> Int64? {
        guard let text = try members.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let number = Int64(text), number >= 0, number < .max else {
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "no number")
        }
        return number
    }

    func write<Key>(_ members: inout KeyedEncodingContainer<Key>, _ key: Key) throws {
        try members.encode("\(self)", forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode<Value>(_ type: Member<Value>.Type, forKey key: Key) throws -> Member<Value> {
        Member(wrappedValue: try Value.read(self, key) ?? Value())
    }
}

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ member: Member<Value>, forKey key: Key) throws {
        if member.wrappedValue != Value() { try member.wrappedValue.write(&self, key) }
    }
}

/// A key of the cluster and its value.
struct ClusterEntry: GatewayValue {
    @Member var key = Data()
    @Member var value = Data()
    /// The revision of the last write of the key.
    @Member var modRevision: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case key, value
        case modRevision = "mod_revision"
    }
}

/// The common beginning of all answers.
struct AnswerHeader: GatewayValue {
    /// The identifier of the cluster.
    @Member var cluster = ""
    /// The revision of the whole cluster at the time of the answer.
    @Member var revision: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case revision
        case cluster = "cluster_id"
    }
}

/// The answer to a read.
struct RangeAnswer: GatewayPart {
    @Member var header = AnswerHeader()
    @Member var entries: [ClusterEntry] = []
    /// Whether there are more entries than the request asked for.
    @Member var hasMore = false
    /// The number of keys in the range, regardless of the request's limits.
    @Member var count: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case header, count
        case entries = "kvs"
        case hasMore = "more"
    }
}

/// The answer to a transaction.
struct TransactionAnswer: Decodable, Sendable {
    /// The result of one operation.
    struct Result: GatewayPart {
        var read: RangeAnswer?

        private enum CodingKeys: String, CodingKey { case read = "response_range" }
    }

    @Member var header = AnswerHeader()
    @Member var hasSucceeded = false
    @Member var results: [Result] = []

    /// The results of the failure branch's reads, in order.
    var reads: [RangeAnswer] { results.compactMap(\.read) }

    private enum CodingKeys: String, CodingKey {
        case header
        case hasSucceeded = "succeeded"
        case results = "responses"
    }
}

/// A message of a watch.
struct WatchAnswer: Decodable, Sendable {
    struct Event: GatewayPart {
        enum Kind: String, GatewayValue {
            case put = "PUT"
            case removal = "DELETE"

            init() { self = .put }
        }

        @Member var kind = Kind.put
        @Member var entry = ClusterEntry()

        private enum CodingKeys: String, CodingKey {
            case kind = "type"
            case entry = "kv"
        }
    }

    @Member var header = AnswerHeader()
    @Member var isCreated = false
    @Member var isCancelled = false
    @Member var compactRevision: Int64 = 0
    /// Whether the next message continues this one.
    @Member var isFragment = false
    @Member var events: [Event] = []

    private enum CodingKeys: String, CodingKey {
        case header, events
        case isCreated = "created"
        case isCancelled = "canceled"
        case isFragment = "fragment"
        case compactRevision = "compact_revision"
    }
}

/// The answer to a request for a lease, or for its renewal.
struct LeaseAnswer: Decodable, Sendable {
    @Member var header = AnswerHeader()
    @Member var id: Int64 = 0
    /// In seconds; 0 if the lease has expired.
    @Member var timeToLive: Int64 = 0

    private enum CodingKeys: String, CodingKey {
        case header
        case id = "ID"
        case timeToLive = "TTL"
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

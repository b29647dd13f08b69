#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An answer of the gateway, or a part of one: an object whose absent members have the initial values.
protocol GatewayAnswer: Equatable, Sendable {
    init()

    /// Reads the value of a member, or skips it.
    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure)
}

extension GatewayAnswer {
    init(_ reader: inout GatewayReader) throws(GatewayFailure) {
        self.init()
        try reader.members { (reader, member) throws(GatewayFailure) in try read(member, &reader) }
    }
}

/// A key of the cluster and its value.
struct ClusterEntry: GatewayAnswer {
    var key = Data()
    var value = Data()
    /// The revision of the last write of the key; 0 if there is none.
    var modRevision: Int64 = 0

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "key": key = try reader.data()
        case "value": value = try reader.data()
        case "mod_revision": modRevision = try reader.count()
        default: try reader.skip()
        }
    }
}

/// The common beginning of all answers.
struct AnswerHeader: GatewayAnswer {
    var cluster: UInt64 = 0
    /// The revision of the whole cluster at the time of the answer.
    var revision: Int64 = 0

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "cluster_id": cluster = try reader.integer()
        case "revision": revision = try reader.count()
        default: try reader.skip()
        }
    }
}

/// The answer to a read.
struct RangeAnswer: GatewayAnswer {
    var header = AnswerHeader()
    var entries: [ClusterEntry] = []
    /// Whether there are more entries than the request asked for.
    var hasMore = false
    /// The number of keys in the range, regardless of the request's limits.
    var count: Int64 = 0

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "header": header = try AnswerHeader(&reader)
        case "kvs": entries = try reader.list()
        case "more": hasMore = try reader.flag()
        case "count": count = try reader.count()
        default: try reader.skip()
        }
    }
}

/// The answer to a transaction.
struct TransactionAnswer: GatewayAnswer {
    var header = AnswerHeader()
    var hasSucceeded = false
    /// The results of the failure branch's reads, in order.
    var reads: [RangeAnswer] = []

    /// The result of one operation.
    private struct Result: GatewayAnswer {
        var read: RangeAnswer?

        mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
            if member == "response_range" { read = try RangeAnswer(&reader) } else { try reader.skip() }
        }
    }

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "header": header = try AnswerHeader(&reader)
        case "succeeded": hasSucceeded = try reader.flag()
        case "responses": reads = (try reader.list() as [Result]).compactMap(\.read)
        default: try reader.skip()
        }
    }
}

/// A message of a watch.
struct WatchAnswer: GatewayAnswer {
    struct Event: GatewayAnswer {
        var isRemoval = false
        var entry = ClusterEntry()

        mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
            switch member {
            // The type PUT, which is 0, is absent.
            case "type":
                switch try reader.text() {
                case "PUT": isRemoval = false
                case "DELETE": isRemoval = true
                default: throw .notEtcd(status: 200)
                }
            case "kv": entry = try ClusterEntry(&reader)
            default: try reader.skip()
            }
        }
    }

    var header = AnswerHeader()
    var isCreated = false
    var isCancelled = false
    var compactRevision: Int64 = 0
    /// Whether the next message continues this one.
    var isFragment = false
    var events: [Event] = []

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "header": header = try AnswerHeader(&reader)
        case "created": isCreated = try reader.flag()
        case "canceled": isCancelled = try reader.flag()
        case "compact_revision": compactRevision = try reader.count()
        case "fragment": isFragment = try reader.flag()
        case "events": events = try reader.list()
        default: try reader.skip()
        }
    }
}

/// The answer to a request for a lease, or for its renewal.
struct LeaseAnswer: GatewayAnswer {
    var id: Int64 = 0
    /// In seconds; 0 if the lease has expired.
    var timeToLive: Int64 = 0

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "ID": id = try reader.integer()
        case "TTL": timeToLive = try reader.integer()
        default: try reader.skip()
        }
    }
}

/// The answer to a request for a token.
struct TokenAnswer: GatewayAnswer {
    var token = ""

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        if member == "token" { token = try reader.text() } else { try reader.skip() }
    }
}

/// A message of a stream: a result, or the error that ends the stream.
enum StreamMessage {
    /// Reads `{"result": ...}`, or throws the error in its place.
    static func read<Answer>(
        _ bytes: some Collection<UInt8>, status: Int = 200,
        _ body: (inout GatewayReader) throws(GatewayFailure) -> Answer
    ) throws(GatewayFailure) -> Answer {
        var answer: Answer?
        var error = ErrorAnswer()
        try GatewayReader.read(bytes) { (reader) throws(GatewayFailure) in
            try reader.members { (reader, name) throws(GatewayFailure) in
                switch name {
                case "result": answer = try body(&reader)
                case "error" where reader.isAtObject: error = try ErrorAnswer(&reader)
                default: try error.read(name, &reader)
                }
            }
        }
        if let answer { return answer }
        guard let code = error.code else { throw .notEtcd(status: status) }
        if error.hasNoSpace { throw .noSpace }
        throw .refused(code: error.isOldToken ? GatewayFailure.unauthenticated : code, status: status)
    }
}

/// An answer that reports an error: members of an object in a stream, otherwise of the whole body.
struct ErrorAnswer: GatewayAnswer {
    fileprivate(set) var code: Int64?
    /// Whether users or roles have changed since the token was created. etcd reports that as an invalid argument, with these
    /// words; its own client then also asks for another token.
    fileprivate(set) var isOldToken = false
    /// Whether the cluster has no space left, which etcd reports with the code of an overloaded member.
    fileprivate(set) var hasNoSpace = false

    mutating func read(_ member: String, _ reader: inout GatewayReader) throws(GatewayFailure) {
        switch member {
        case "grpc_code", "code": code = try reader.integer()
        case "message":
            let text = try reader.textOrSkip() ?? ""
            hasNoSpace = text.hasSuffix("database space exceeded")
            isOldToken = ["revision of auth store is old", "user name is empty"].contains { text.hasSuffix($0) }
        default: try reader.skip()
        }
    }

    /// - Returns: ``GatewayFailure/refused(code:status:)`` or `noSpace`; `notEtcd` if the body is not the gateway's.
    static func failure(_ bytes: [UInt8], status: Int) -> GatewayFailure {
        do throws(GatewayFailure) {
            try StreamMessage.read(bytes, status: status) { (reader) throws(GatewayFailure) in try reader.skip() }
            return .notEtcd(status: status)
        } catch {
            return error.isAnswer ? error : .notEtcd(status: status)
        }
    }
}

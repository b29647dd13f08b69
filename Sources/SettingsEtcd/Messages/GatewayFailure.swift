import SettingsKitCore

/// Why the cluster's gateway has not done what it was asked for.
///
/// It contains nothing that a server has sent but numbers: a server's text could hold values.
enum GatewayFailure: ValueFreeError, Equatable {
    /// No connection came about. No byte of the request was sent.
    case notConnected(String)
    /// The connection ended before there was an answer, or in the middle of it, or the answer is not HTTP.
    case disconnected(String)
    /// No secure connection came about, or the member has ended it at once, as it does without a certificate that it accepts.
    case notSecure(String, isSent: Bool)
    /// There was no answer in time.
    case timedOut
    /// The store was closed.
    case cancelled
    /// The gateway reported an error, by the code of gRPC.
    case refused(code: Int64, status: Int)
    /// The cluster does not accept the user's name or password. Nothing else was sent.
    case loginRefused
    /// The cluster has no space left. A write may have been carried out all the same, but no more after this answer.
    case noSpace
    /// The answer is not one of an etcd gateway.
    case notEtcd(status: Int)
    /// The answer is longer than the limit in bytes.
    case tooLong(limit: Int)
    /// The revision that a watch or a read is to begin at is compacted.
    case compacted
    /// The answer to a read is of an earlier state than the store knows: the cluster was restored from a backup, or is another.
    case earlierState

    var description: String {
        switch self {
        case .notConnected(let reason): "No connection (\(reason))."
        case .disconnected(let reason): "The connection was cut (\(reason))."
        case .notSecure(let reason, _): "No secure connection (\(reason))."
        case .timedOut: "There was no answer in time."
        case .cancelled: "The store was closed."
        case .refused(let code, let status): "The cluster answered with \(Self.words(code)) (HTTP status \(status))."
        case .loginRefused: "The cluster does not accept the user's name or password."
        case .noSpace: "The cluster has no space left."
        case .notEtcd(let status): "The answer is not one of etcd's gateway (HTTP status \(status))."
        case .tooLong(let limit): "The answer is longer than \(limit) bytes."
        case .compacted: "The revision is compacted."
        case .earlierState: "The cluster holds an earlier state than before: it was restored from a backup or replaced."
        }
    }

    /// gRPC's names of its codes.
    private static func words(_ code: Int64) -> String {
        let names = [
            "", "cancelled", "unknown error", "invalid argument", "deadline exceeded", "not found", "already exists",
            "permission denied", "resource exhausted", "failed precondition", "aborted", "out of range",
            "unimplemented",
            "internal error", "unavailable", "data loss", "unauthenticated",
        ]
        guard let index = Int(exactly: code), index > 0, names.indices.contains(index) else { return "an unknown code" }
        return "“\(names[index])”"
    }

    /// Whether the request has certainly changed nothing.
    var isCertain: Bool {
        switch self {
        case .notConnected, .loginRefused: true
        case .notSecure(_, let isSent): !isSent
        case .refused(let code, _): Self.codesOfNothingDone.contains(code)
        default: false
        }
    }

    /// The codes with which etcd refuses a request before it begins to carry it out. It reports the others also of a request
    /// that the members may still carry out, such as "unavailable" when a leader is lost, and "cancelled" when a member stops.
    private static let codesOfNothingDone: Set<Int64> = [3, 5, 7, 8, 9, 11, 12, unauthenticated]

    /// Whether the request is refused for what it is, and not because of the cluster's condition: it will be refused again.
    var isPermanent: Bool {
        if case .refused(let code, _) = self { return code == 3 || code == 7 }
        return false
    }

    /// Whether a member of the cluster has answered.
    var isAnswer: Bool {
        switch self {
        case .refused, .loginRefused, .noSpace: true
        default: false
        }
    }

    /// The code of an error that it causes, unless it refuses a write for what it is.
    var code: SettingsError.Code {
        switch self {
        case .notSecure: .clusterNotSecure
        case .loginRefused, .refused(Self.unauthenticated, _): .clusterLoginRefused
        case .refused(7, _): .clusterAccessDenied
        case .noSpace: .clusterFull
        default: .clusterUnreachable
        }
    }

    /// Whether a connection came about, and an answer failed to come or to end.
    var isOfAnswer: Bool {
        switch self {
        case .disconnected, .timedOut, .notEtcd: true
        default: false
        }
    }

    /// gRPC's code for a token that is missing or has expired.
    static let unauthenticated: Int64 = 16

    /// Whether the token is missing or has expired.
    var asksForToken: Bool {
        if case .refused(let code, _) = self { return code == Self.unauthenticated }
        return false
    }
}

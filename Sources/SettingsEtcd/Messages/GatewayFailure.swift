import SettingsKitCore

/// The reason why the cluster's gateway has not carried out a request.
///
/// It contains nothing from a server but numbers: a server's text could contain values.
enum GatewayFailure: ValueFreeError, Equatable {
    /// No connection was established. No byte of the request was sent.
    case notConnected(String)
    /// The connection ended before there was an answer, or in the middle of it, or the answer is not HTTP.
    case disconnected(String)
    /// No secure connection was established, or the member ended it immediately, as it does without an acceptable certificate.
    case notSecure(String, isSent: Bool)
    /// There was no answer in time.
    case timedOut
    /// The store was closed.
    case cancelled
    /// The gateway reported an error, by the code of gRPC.
    case refused(code: Int64, status: Int)
    /// The cluster does not accept the user's name or password. Nothing else was sent.
    case loginRefused
    /// The member has lost the others, and has not begun to carry out the request.
    case noLeader
    /// The cluster has no space left, and refuses writes.
    case noSpace
    /// The client's key, or its lease, was removed. The cluster cannot be asked whether it carried out a transaction.
    case noMarker
    /// The answer is not one of an etcd gateway.
    case notEtcd(status: Int)
    /// The answer is longer than the limit in bytes.
    case tooLong(limit: Int)
    /// The first revision of a watch or a read is compacted.
    case compacted
    /// The answer to a read has an earlier state than the known one: the cluster was restored from a backup, or is another one.
    case earlierState

    var description: String {
        switch self {
        case .notConnected(let reason): "No connection (\(reason))."
        case .disconnected(let reason): "The connection was cut (\(reason))."
        case .notSecure(let reason, _): "No secure connection (\(reason))."
        case .timedOut: "There was no answer in time."
        case .cancelled: "The store was closed."
        case .refused(let code, let status): "The cluster answered with code \(code) of gRPC (HTTP status \(status))."
        case .loginRefused: "The cluster does not accept the user's name or password."
        case .noLeader: "The member has lost connection to most other members."
        case .noSpace: "The cluster has no space left."
        case .noMarker: "The client's key has expired."
        case .notEtcd(let status): "The answer is not one of etcd's gateway (HTTP status \(status))."
        case .tooLong(let limit): "The answer is longer than \(limit) bytes."
        case .compacted: "The revision is compacted."
        case .earlierState: "The cluster holds an earlier state than before: it was restored from a backup or replaced."
        }
    }

    /// Whether the request has certainly changed nothing.
    var isCertain: Bool {
        switch self {
        case .notConnected, .loginRefused, .noLeader, .noSpace, .noMarker: true
        case .notSecure(_, let isSent): !isSent
        case .refused(let code, _): Self.codesOfNothingDone.contains(code)
        default: false
        }
    }

    /// The codes with which etcd refuses a request before it begins to carry it out. It also reports the others for a request
    /// that the members may still carry out, such as "unavailable" when a leader is lost, and "cancelled" when a member stops.
    private static let codesOfNothingDone: Set<Int64> = [3, leaseNotFound, 7, 8, 9, 11, 12, unauthenticated]

    /// Whether the request itself is refused, independent of the cluster's condition: it will be refused again.
    var isPermanent: Bool { [.clusterRefused, .clusterAccessDenied].contains(code) }

    /// Whether a person must act before a retry can succeed.
    var needsPerson: Bool { isPermanent || self == .loginRefused || self == .noSpace }

    /// The code of the resulting error.
    var code: SettingsError.Code {
        switch self {
        case .notSecure: .clusterNotSecure
        case .loginRefused, .refused(Self.unauthenticated, _): .clusterLoginRefused
        case .refused(3, _): .clusterRefused
        case .refused(7, _): .clusterAccessDenied
        case .noSpace: .clusterFull
        case .cancelled: .storeClosed
        default: .clusterUnreachable
        }
    }

    /// gRPC's codes for a token that is missing or has expired, and for a lease that has expired.
    static let unauthenticated: Int64 = 16
    static let leaseNotFound: Int64 = 5

    /// Whether the token is missing or has expired.
    var asksForToken: Bool {
        if case .refused(Self.unauthenticated, _) = self { return true }
        return false
    }
}

import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A write that waits for the cluster's agreement.
struct QueuedWrite: Equatable, Sendable {
    typealias ID = UInt64

    /// Later writes have greater ones.
    var id: ID
    /// The bytes to store, each name once.
    var writes: [String: Data?]
    /// The bytes that must be stored at the moment of writing.
    var expectations: [String: Data?] = [:]
    /// Whether the write was accepted: its caller has returned, so it may be given up only for a faster write of another machine.
    /// Otherwise a caller waits for it.
    var isAccepted: Bool
    /// The revisions of the written names when the write was accepted, or after the program's own last write of them.
    var bases: [String: Int64] = [:]
    /// The revision of the cluster that was known when the write was accepted; 0 after a restart.
    var seen: Int64 = 0
    /// The cluster for which the write was accepted; 0 for the next cluster that is reached.
    var cluster: UInt64 = 0
    /// Whether the write has waited through a lost connection or a restart, and so loses to a later value of another machine.
    var hasWaited = false

    /// The approximate size of the write in a request, in bytes.
    var size: Int {
        writes.reduce(expectations.count * 64) { $0 + $1.key.utf8.count + ($1.value?.count ?? 0) + 64 }
    }
}

/// The outcome of a write.
enum WriteOutcome: Equatable, Sendable {
    /// The cluster has agreed, at a revision.
    case agreed(Int64)
    /// Nothing was written: an expectation did not hold.
    case refused
    /// Nothing was written: another machine has written one of the names while the write waited.
    case overruled
    /// Nothing was written: the cluster permanently refuses the write.
    case failed(GatewayFailure)
    /// Nothing was written: the caller's time is over.
    case unreached(GatewayFailure)
    /// The caller's time is over, and it is unknown whether the write was applied.
    case unknown(GatewayFailure)
}

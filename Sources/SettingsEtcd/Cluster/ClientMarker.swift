import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key by which a client ensures that a write with a lost answer is not applied late, or twice.
///
/// Each write transaction compares the revision of this key, and rewrites the key. So a transaction that the cluster executes
/// late, after another one, fails. After a lost answer, the key shows whether the transaction was applied.
///
/// The key is outside of the prefix and expires with a lease, which is renewed before writes. A client that writes nothing needs
/// no key. Used by one thread.
struct ClientMarker {
    private struct Registration {
        let key: Data
        var lease: Lease
        let cluster: UInt64
        var modRevision: Int64
    }

    private var registration: Registration?
    /// Counts the transactions, so that the key's value identifies the last one applied.
    private var sequence: UInt64 = 0
    /// The writes of the transaction with that number, until its outcome is known. A repeated transaction keeps its number.
    private var open: [QueuedWrite.ID] = []

    /// The lease, if there is one.
    var lease: Lease? { registration?.lease }

    /// The cluster that has the key; 0 if there is none.
    var cluster: UInt64 { registration?.cluster ?? 0 }

    /// Ensures that the key exists. If it throws, the key does not exist, and nothing else has changed.
    mutating func prepare(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) {
        if let registration {
            if registration.lease.renewed + EtcdTimings.renewalPause > .now { return }
            if try self.registration?.lease.renew(by: client, within: time, call: call) == true { return }
            self.registration = nil
        }
        let lease = try Lease(seconds: EtcdTimings.markerLease, by: client, within: time, call: call)
        // The name was never used, so no transaction under another name can affect it.
        let name = (0..<4).map { _ in String(UInt32.random(in: 0 ... .max), radix: 36) }.joined(separator: "-")
        let key = Data((EtcdNames.clientKeys + name).utf8)
        let message = GatewayMessage.transaction(
            [.init(key: key, modRevision: 0)], [.init(key: key, value: Data("0".utf8), lease: lease.id)])
        let answer: TransactionAnswer = try client.ask(message, within: time, call: call)
        guard answer.hasSucceeded, answer.header.revision > 0 else { throw .notEtcd(status: 200) }
        registration = Registration(
            key: key, lease: lease, cluster: answer.header.cluster, modRevision: answer.header.revision)
    }

    /// The outcome of a transaction.
    enum Result {
        /// It was applied at this revision.
        case made(Int64)
        /// It was not applied, because another comparison failed. The contents of the compared keys, in their order.
        case refused([RangeAnswer], revision: Int64)
        /// It was not applied, and will not be.
        case notMade
        /// The lease has expired, so the outcome cannot be known.
        case lost
    }

    /// Sends the transaction of some writes, together with the key's write.
    ///
    /// - Throws: A failure. If it is not certain, ``resolve(_:within:call:)`` must be called until it returns.
    mutating func send(
        _ ids: [QueuedWrite.ID], _ comparisons: [GatewayMessage.Comparison], _ operations: [GatewayMessage.Operation],
        by client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Result {
        guard let registration else { return .notMade }
        if open != ids { (sequence, open) = (sequence + 1, ids) }
        let result = try exchange(comparisons, operations, registration, by: client, within: time, call: call)
        open = []
        return result
    }

    private mutating func exchange(
        _ comparisons: [GatewayMessage.Comparison], _ operations: [GatewayMessage.Operation],
        _ registration: Registration, by client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Result {
        let message = GatewayMessage.transaction(
            [.init(key: registration.key, modRevision: registration.modRevision)] + comparisons,
            operations + [rewriting(registration)])
        let answer: TransactionAnswer = try client.ask(message, within: time, call: call)
        if answer.hasSucceeded {
            guard answer.header.revision > registration.modRevision else { throw .notEtcd(status: 200) }
            self.registration?.modRevision = answer.header.revision
            return .made(answer.header.revision)
        }
        guard answer.reads.count == comparisons.count + 1 else { throw .notEtcd(status: 200) }
        if answer.reads[0].entries.first?.modRevision == registration.modRevision {
            return .refused(Array(answer.reads.dropFirst()), revision: answer.header.revision)
        }
        return read(answer.reads[0])
    }

    /// Determines whether the last transaction was applied, and ensures that it will not be applied late.
    ///
    /// - Parameter isOver: Whether the transaction was answered, so that it cannot be applied late.
    mutating func resolve(
        isOver: Bool, _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Result {
        guard let registration else { return .lost }
        let result =
            try isOver
            ? look(registration, client, within: time, call: call)
            : fence(registration, client, within: time, call: call)
        open = []
        return result
    }

    private mutating func fence(
        _ registration: Registration, _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Result {
        // Nothing else is written under the number of the last transaction, so the key distinguishes the outcomes.
        let fence = GatewayMessage.Operation(
            key: registration.key, value: Data("not \(sequence)".utf8), lease: registration.lease.id)
        let message = GatewayMessage.transaction(
            [.init(key: registration.key, modRevision: registration.modRevision)], [fence], isRepeatable: true)
        let answer: TransactionAnswer = try client.ask(message, within: time, call: call)
        if answer.hasSucceeded {
            self.registration?.modRevision = answer.header.revision
            return .notMade
        }
        guard answer.reads.count == 1 else { throw .notEtcd(status: 200) }
        return read(answer.reads[0])
    }

    private mutating func look(
        _ registration: Registration, _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Result {
        let answer: RangeAnswer = try client.ask(.range(.init(first: registration.key)), within: time, call: call)
        return answer.entries.first?.modRevision == registration.modRevision ? .notMade : read(answer)
    }

    /// Reads the key after its revision has changed.
    private mutating func read(_ answer: RangeAnswer) -> Result {
        guard let entry = answer.entries.first else {
            registration = nil
            return .lost
        }
        registration?.modRevision = entry.modRevision
        return entry.value == Data("\(sequence)".utf8) ? .made(entry.modRevision) : .notMade
    }

    /// Forgets the key: the next write creates another one.
    mutating func forget() { registration = nil }

    private func rewriting(_ registration: Registration) -> GatewayMessage.Operation {
        .init(key: registration.key, value: Data("\(sequence)".utf8), lease: registration.lease.id)
    }
}

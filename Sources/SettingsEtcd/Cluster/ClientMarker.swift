import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key by which a client makes sure that a write whose answer was lost is not made late, or twice.
///
/// Each write transaction compares the revision of this key, and rewrites the key. So a transaction that the cluster carries
/// out late, after another one, fails. And after a lost answer, the key tells whether the transaction was made.
///
/// The key is outside of the prefix and ends with a lease, which is renewed when something is written. A client that writes
/// nothing needs no key. Used by one thread.
struct ClientMarker {
    /// What the keys of all clients begin with.
    static let prefix = "settingskit.clients/"
    /// In seconds.
    static let leaseTime: Int64 = 90
    /// After this time the lease is renewed before the next write.
    private static let renewalPause = Duration.seconds(30)

    private struct Registration {
        let key: Data
        let lease: Int64
        let cluster: UInt64
        var modRevision: Int64
        var renewed: ContinuousClock.Instant
    }

    private var registration: Registration?
    /// Counts the transactions, so that the key's value names the last one that was made.
    private var sequence: UInt64 = 0
    /// The writes of the transaction with that number, until its outcome is known. Sent again, it keeps its number.
    private var open: [QueuedWrite.ID] = []

    /// The lease, if there is one.
    var lease: Int64? { registration?.lease }

    /// The cluster that has the key; 0 if there is none.
    var cluster: UInt64 { registration?.cluster ?? 0 }

    /// Makes sure that the key is there. It throws only if that is not so, and nothing else is changed by then.
    mutating func prepare(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) {
        if let registration {
            if registration.renewed + Self.renewalPause > .now { return }
            let asked = ContinuousClock.now
            let answer = try client.askStream(
                .renewLease(registration.lease), within: time, call: call, LeaseAnswer.init)
            if answer.timeToLive > 0 {
                self.registration?.renewed = asked
                return
            }
            self.registration = nil
        }
        let asked = ContinuousClock.now
        let lease = try client.ask(
            .grantLease(seconds: Self.leaseTime), isRepeatable: true, within: time, call: call, limit: 1 << 16,
            LeaseAnswer.init
        ).id
        guard lease != 0 else { throw .notEtcd(status: 200) }
        // A name that was never used: what was sent under another one cannot touch it.
        let name = (0..<4).map { _ in String(UInt32.random(in: 0 ... .max), radix: 36) }.joined(separator: "-")
        let key = Data((Self.prefix + name).utf8)
        let message = GatewayMessage.transaction(
            [.init(key: key, modRevision: 0)], [.init(key: key, value: Data("0".utf8), lease: lease)])
        let answer = try client.ask(
            message, isRepeatable: false, within: time, call: call, limit: 1 << 16, TransactionAnswer.init)
        guard answer.hasSucceeded, answer.header.revision > 0 else { throw .notEtcd(status: 200) }
        registration = Registration(
            key: key, lease: lease, cluster: answer.header.cluster, modRevision: answer.header.revision, renewed: asked)
    }

    /// What a transaction has led to.
    enum Result {
        /// It was made at this revision.
        case made(Int64)
        /// It was not made, because another comparison failed. What the compared keys hold now, in their order.
        case refused([RangeAnswer], revision: Int64)
        /// It was not made, and will not be.
        case notMade
        /// The lease has expired meanwhile, so this cannot be known.
        case lost
    }

    /// Sends the transaction of some writes, together with the key's.
    ///
    /// - Throws: A failure. If it is not certain, ``resolve(_:within:call:)`` has to follow, until it returns.
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
        let answer = try client.ask(
            message, isRepeatable: false, within: time, call: call, TransactionAnswer.init)
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

    /// Finds out whether the last transaction was made, and makes sure that it will not be made late.
    ///
    /// - Parameter isOver: Whether the transaction was answered, so that it will not be made late.
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
        // Under the number of the last transaction nothing else is written, so the key tells them apart.
        let fence = GatewayMessage.Operation(
            key: registration.key, value: Data("not \(sequence)".utf8), lease: registration.lease)
        let message = GatewayMessage.transaction(
            [.init(key: registration.key, modRevision: registration.modRevision)], [fence])
        let answer = try client.ask(
            message, isRepeatable: true, within: time, call: call, limit: 1 << 16, TransactionAnswer.init)
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
        let answer = try client.ask(
            .range(.init(first: registration.key)), isRepeatable: true, within: time, call: call, limit: 1 << 16,
            RangeAnswer.init)
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

    /// Forgets the key: another one is made for the next write.
    mutating func forget() { registration = nil }

    private func rewriting(_ registration: Registration) -> GatewayMessage.Operation {
        .init(key: registration.key, value: Data("\(sequence)".utf8), lease: registration.lease)
    }
}

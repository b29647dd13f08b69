import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key by which a client ensures that a transaction with a lost answer is not applied late, or twice.
///
/// Each transaction that writes compares the revision of this key, and stores the transaction's number there. So it can be sent
/// again until it is answered: once it was applied, the comparison fails, and the key has its number. A transaction that the
/// cluster carries out late, after a later one, fails, too.
///
/// The key is outside of the prefix, and expires with a lease, which is renewed before writes. A client that writes nothing needs
/// no key. Used by one thread at a time.
struct ClientMarker: Sendable {
    /// What the keys begin with.
    static let keys = "settingskit.clients/"

    /// One transaction. It keeps its number when it is sent again.
    struct Transaction: Sendable {
        let comparisons: [GatewayMessage.Comparison]
        let operations: [GatewayMessage.Operation]
        fileprivate var number: UInt64 = 0
        /// The key, and its revision when the transaction was first sent.
        fileprivate var key = Data()
        fileprivate var modRevision: Int64 = 0

        init(_ comparisons: [GatewayMessage.Comparison], _ operations: [GatewayMessage.Operation]) {
            (self.comparisons, self.operations) = (comparisons, operations)
        }
    }

    private struct Registration {
        let key: Data
        let lease: Int64
        let cluster: String
        var renewed: ContinuousClock.Instant
        /// The revision of the key; 0 before the first transaction.
        var modRevision: Int64 = 0
    }

    private var registration: Registration?
    private var lastNumber: UInt64 = 0

    /// The cluster that has granted the lease; nil if there is none.
    var cluster: String? { registration?.cluster }

    /// Ensures that there is a lease, and that it will not expire soon.
    mutating func prepare(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) {
        let asked = ContinuousClock.now
        if let registration {
            if registration.renewed + EtcdTimings.leaseRenewal > asked { return }
            let answer: LeaseAnswer = try client.ask(.renewLease(registration.lease), within: time, call: call)
            if answer.timeToLive > 0 {
                self.registration?.renewed = asked
                return
            }
        }
        registration = nil
        let answer: LeaseAnswer = try client.ask(
            .grantLease(seconds: EtcdTimings.lease), within: time, call: call)
        guard answer.id != 0 else { throw .notEtcd(status: 200) }
        // The name was never used, so no transaction under another name can affect it.
        let name = (0..<4).map { _ in String(UInt32.random(in: 0 ... .max), radix: 36) }.joined(separator: "-")
        registration = Registration(
            key: Data((Self.keys + name).utf8), lease: answer.id, cluster: answer.header.cluster, renewed: asked)
    }

    /// Forgets the key: the next write uses another one.
    mutating func forget() { registration = nil }

    /// The outcome of a transaction.
    enum Outcome {
        /// It was applied at this revision.
        case made(Int64)
        /// It was not applied, because another comparison failed. The contents of the compared keys, in their order.
        case refused([RangeAnswer], revision: Int64)
        /// It was not applied, and will not be.
        case notMade
    }

    /// Gives a transaction its number, once it will not change any more.
    mutating func begin(_ transaction: inout Transaction) {
        guard let registration else { return }
        lastNumber += 1
        (transaction.number, transaction.key) = (lastNumber, registration.key)
        transaction.modRevision = registration.modRevision
    }

    /// Sends a transaction, which may have been sent before.
    ///
    /// - Throws: `noSpace` if the transaction was not applied for lack of space, and will not be; `noMarker`.
    mutating func send(
        _ transaction: Transaction, by client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Outcome {
        guard let registration, registration.key == transaction.key else { throw .noMarker }
        let marker = GatewayMessage.Operation(
            key: registration.key, value: Data("\(transaction.number)".utf8), lease: registration.lease)
        let message = GatewayMessage.transaction(
            [.modRevision(key: registration.key, transaction.modRevision)] + transaction.comparisons,
            transaction.operations + [marker])
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = try client.ask(message, within: time, call: call)
        } catch .noSpace {
            // The cluster may have applied the transaction with its last space.
            guard
                let answer: RangeAnswer = try? client.ask(
                    .range(.init(first: transaction.key)), within: time, call: call)
            else { throw .timedOut }
            if let outcome = try read(answer, transaction) { return outcome }
            throw .noSpace
        } catch .refused(code: GatewayFailure.leaseNotFound, status: _) {
            self.registration = nil
            throw .noMarker
        } catch {
            throw error
        }
        if answer.hasSucceeded {
            guard answer.header.revision > transaction.modRevision else { throw .notEtcd(status: 200) }
            self.registration?.modRevision = answer.header.revision
            return .made(answer.header.revision)
        }
        guard answer.reads.count == transaction.comparisons.count + 1 else { throw .notEtcd(status: 200) }
        return try read(answer.reads[0], transaction)
            ?? .refused(Array(answer.reads.dropFirst()), revision: answer.header.revision)
    }

    /// Determines from the key whether a transaction was applied.
    ///
    /// - Returns: nil if the key is as it was when the transaction was first sent.
    private mutating func read(_ answer: RangeAnswer, _ transaction: Transaction) throws(GatewayFailure) -> Outcome? {
        let entry = answer.entries.first
        if entry?.modRevision ?? 0 == transaction.modRevision { return nil }
        guard let entry else {
            registration = nil
            throw .noMarker
        }
        registration?.modRevision = entry.modRevision
        return entry.value == Data("\(transaction.number)".utf8) ? .made(entry.modRevision) : .notMade
    }
}

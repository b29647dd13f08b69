import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends the writes of the queue in order, one transaction after another. Used by one thread.
struct Sender {
    private let cluster: EtcdCluster
    private var marker = ClientMarker()
    private var expiring: ExpiringLease?
    private var backoff = EtcdTimings.sendingPauses
    /// The last write of a transaction that was refused permanently. Until its end, writes are sent one by one, to find the
    /// refused one.
    private var lastRefused: QueuedWrite.ID = 0

    private init(_ cluster: EtcdCluster) {
        self.cluster = cluster
        expiring = cluster.options.expiring.map(ExpiringLease.init)
    }

    private var call: GatewayCall { cluster.call }
    private var client: GatewayClient { cluster.client }
    /// The time limit of a single request. A write that waits for it has some time left. The limit does not grow with a long
    /// patience: a member that has lost the others keeps a request for seconds, and another member answers immediately.
    private var requestTime: Duration {
        min(cluster.options.patience * EtcdTimings.shareOfPatience, EtcdTimings.longestRequest)
    }

    /// Returns the time limit of a request with values. A slow connection needs more time for large ones at each attempt, so they would
    /// never be sent otherwise.
    private func requestTime(for operations: [GatewayMessage.Operation]) -> Duration {
        let bytes = operations.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) }
        return requestTime + .seconds(Double(bytes) / EtcdTimings.slowestRate)
    }

    static func run(_ cluster: EtcdCluster) {
        var sender = Sender(cluster)
        sender.run()
    }

    private mutating func run() {
        while !cluster.isClosed {
            if expiring?.isDue == true { renewExpiring() }
            switch cluster.state.withLock({ next($0) }) {
            case .end(let id, let outcome): end([(id, outcome)])
            case .transaction:
                sendNext()
                cluster.state.withLock { $0.underWay = nil }
            case nil: cluster.sendWake.waitForSignals(for: expiring?.timeLeft)
            }
        }
        release()
        cluster.threadDidEnd()
    }

    private func next(_ state: EtcdCluster.State) -> WriteQueue.Step? {
        // Nothing is sent before the cluster has confirmed the known state: it may be another cluster, or a restored one, which
        // reuses revisions that a write would compare successfully.
        guard state.identity.isVerified, let first = state.queue.entries.first else { return nil }
        let sizeLimit = first.id <= lastRefused ? 0 : EtcdLimits.transaction
        return state.queue.next(state.contents, sizeLimit: sizeLimit)
    }

    // MARK: One transaction

    private mutating func sendNext() {
        var sent: PlannedTransaction?
        do throws(GatewayFailure) {
            let (client, time, call) = (client, requestTime, call)
            try marker.prepare(client, within: time, call: call)
            guard cluster.state.withLock({ [marker] in $0.identity.isOn(marker.cluster) }) else {
                // The marker was replaced, whether or not the follower has noticed.
                marker.forget()
                throw .earlierState
            }
            let lease = try expiring?.prepare(client, within: time, call: call) ?? 0
            // Planned only now: a caller whose time is over must receive that nothing was written, and a later value may have
            // replaced an earlier one.
            let request = cluster.state.withLock {
                state -> (
                    plan: PlannedTransaction, comparisons: [GatewayMessage.Comparison],
                    operations: [GatewayMessage.Operation]
                )? in
                guard case .transaction(let plan) = next(state) else { return nil }
                state.underWay = plan
                return (
                    plan,
                    plan.comparisons.sorted { $0.key < $1.key }.map { name, revision in
                        .init(key: state.contents.key(of: name), modRevision: revision)
                    },
                    plan.writes.sorted { $0.key < $1.key }.map { name, data in
                        .init(key: state.contents.key(of: name), value: data, lease: lease)
                    }
                )
            }
            guard let request else { return }
            sent = request.plan
            let result = try marker.send(
                request.plan.ids, request.comparisons, request.operations, by: client,
                within: requestTime(for: request.operations), call: call)
            apply(result, of: request.plan)
        } catch {
            if let sent, error.isPermanent { return refuse(sent, error) }
            if let sent, !error.isCertain { return resolve(sent, after: error) }
            // Nothing is on its way while this thread waits, so a caller whose time is over knows that nothing was written.
            cluster.state.withLock { $0.underWay = nil }
            fail(error)
        }
    }

    private mutating func apply(_ result: ClientMarker.Result, of plan: PlannedTransaction) {
        backoff.succeed()
        cluster.endSendingOutage()
        switch result {
        case .made(let revision): agree(plan, at: revision)
        case .refused(let reads, let revision):
            let names = plan.comparisons.keys.sorted()
            let entries = Dictionary(uniqueKeysWithValues: zip(names, reads.map { $0.entries.first }))
            let ended = cluster.state.withLock { [marker] state in
                if state.identity.isOn(marker.cluster) {
                    cluster.feed.publish(state.contents.apply(entries, at: revision), origin: .external)
                }
                return state.queue.refuse(plan, state.contents)
            }
            didEnd(ended)
        case .notMade:
            // The write is planned again. The pause limits the requests to a server that always refuses.
            cluster.retryWake.waitForSignals(for: EtcdTimings.planningPause)
        case .lost:
            // The transaction may have been applied before the lease expired. Accepted writes are now sent as after a restart,
            // which cannot apply them twice; a waiting caller must be notified.
            let waiting = cluster.state.withLock { state in
                state.queue.recordLostConnection()
                state.uncertain.formUnion(plan.writes.keys)
                return state.queue.entries.filter { plan.ids.contains($0.id) && !$0.isAccepted }.map(\.id)
            }
            end(waiting.map { ($0, .unknown(.timedOut)) })
        }
    }

    private mutating func agree(_ plan: PlannedTransaction, at revision: Int64) {
        expiring?.record(plan.writes)
        let waiters = cluster.state.withLock { [marker] state in
            let made = state.queue.agree(plan, at: revision)
            var entries: [String: ClusterEntry?] = [:]
            for (name, data) in plan.writes {
                entries[name] = .some(
                    data.map { ClusterEntry(key: state.contents.key(of: name), value: $0, modRevision: revision) })
            }
            if state.identity.isOn(marker.cluster) {
                cluster.feed.publish(state.contents.apply(entries, at: revision), origin: .local)
            }
            cluster.feed.publish(state.show(plan.writes.keys), origin: .external)
            return made.compactMap { state.waiters.removeValue(forKey: $0.id) }
        }
        // Stored before the callers continue, because they may end the process.
        cluster.updateLocalFiles()
        for waiter in waiters { waiter.end(.agreed(revision)) }
        cluster.flushSoon()
    }

    /// Ends writes without a transaction.
    private func end(_ outcomes: [(id: QueuedWrite.ID, outcome: WriteOutcome)]) {
        let ended = cluster.state.withLock { state in
            outcomes.compactMap { id, outcome in state.queue.remove(id).map { (write: $0, outcome: outcome) } }
        }
        didEnd(ended)
    }

    /// Finishes writes that have left the queue.
    private func didEnd(_ ended: [(write: QueuedWrite, outcome: WriteOutcome)]) {
        let waiters = cluster.state.withLock { state in
            cluster.feed.publish(state.show(ended.flatMap(\.write.writes.keys)), origin: .external)
            return ended.compactMap { write, outcome in
                state.waiters.removeValue(forKey: write.id).map { ($0, outcome) }
            }
        }
        cluster.updateLocalFiles()
        for (write, outcome) in ended where write.isAccepted {
            for name in write.writes.keys.sorted() {
                let key = SettingsService.StorageKey(name, scope: cluster.scope)
                switch outcome {
                case .agreed: break
                case .refused, .overruled: cluster.report(.overruled, key: key)
                case .failed(let failure), .unreached(let failure), .unknown(let failure):
                    cluster.report(.clusterRefused, key: key, failure)
                }
            }
        }
        for (waiter, outcome) in waiters { waiter.end(outcome) }
        cluster.flushSoon()
    }

    // MARK: Failures

    /// Ends a write that the cluster refuses permanently, if the refused write is known.
    private mutating func refuse(_ plan: PlannedTransaction, _ failure: GatewayFailure) {
        cluster.endSendingOutage()
        if plan.ids.count > 1 {
            lastRefused = plan.ids.max() ?? 0
        } else {
            end(plan.ids.map { ($0, .failed(failure)) })
        }
    }

    /// Determines whether a transaction with a lost answer was applied. Until then, nothing else is sent.
    private mutating func resolve(_ plan: PlannedTransaction, after failure: GatewayFailure) {
        while !cluster.isClosed {
            do throws(GatewayFailure) {
                // A cluster without space answers each request that it refuses, and applies no write.
                let isOver = failure == .noSpace
                let result = try marker.resolve(isOver: isOver, client, within: requestTime, call: call)
                guard isOver, case .notMade = result else { return apply(result, of: plan) }
                cluster.state.withLock { $0.underWay = nil }
                return fail(failure)
            } catch {
                // Reached also if the user may no longer write the marker.
                fail(error)
            }
        }
    }

    /// Records that the cluster could not be reached, and waits.
    private mutating func fail(_ failure: GatewayFailure) {
        if failure == .cancelled { return }
        let pause = backoff.fail()
        // A short interruption changes nothing: the second failure in a row is one of the connection.
        let isForLong = failure.isAnswer && failure.code != .clusterUnreachable
        if isForLong || backoff.failures > 1 { cluster.recordOutage(failure, of: \.sending) }
        if case .refused(5, _) = failure {
            // A lease has expired.
            marker.forget()
            if let values = expiring?.forget() { cluster.restore(values) }
        }
        cluster.retryWake.waitForSignals(for: min(pause, EtcdTimings.sendingWait))
    }

    // MARK: Values that expire

    private mutating func renewExpiring() {
        do throws(GatewayFailure) {
            let (client, time, call) = (client, requestTime, call)
            guard let values = try expiring?.renew(client, within: time, call: call) else { return }
            backoff.succeed()
            cluster.endSendingOutage()
            cluster.restore(values)
        } catch {
            fail(error)
        }
    }

    /// Removes the values and the key that expire with this client.
    private mutating func release() {
        let leases = [marker.lease, expiring?.lease].compactMap(\.?.id)
        if cluster.state.withLock({ $0.outage.cause != nil }) { return }
        for lease in leases {
            do throws(GatewayFailure) {
                let _: AnswerHeader = try client.ask(
                    .revokeLease(lease), within: EtcdTimings.releasePatience, call: GatewayCall())
            } catch {
                // The cluster removes them when their time is over.
                return
            }
        }
    }
}

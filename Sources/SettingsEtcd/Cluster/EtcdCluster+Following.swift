import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Applies the results of the follower and the sender.
extension EtcdCluster {
    var scope: SettingsService.Scope { state.withLock { $0.scope } }

    /// Records that the cluster cannot be reached, or refuses a request. Each code is reported once.
    func recordOutage(_ failure: GatewayFailure, of part: Outage.Part) {
        let (failure, isWriteWaiting) = state.withLock { state in
            state.queue.recordLostConnection()
            state.outage[keyPath: part] = failure
            return (state.outage.nextUnreported(), state.queue.hasAccepted)
        }
        guard let failure else { return }
        report(failure.code, failure)
        if isWriteWaiting { report(.notYetAgreed, failure) }
    }

    /// Records that the cluster still has the known state.
    func recordVerification() {
        state.withLock { state in
            state.identity.isVerified = true
            state.wakeProgressWaiters()
        }
        sendWake.signal()
    }

    /// Begins a watch.
    ///
    /// - Returns: A call that ends the watch, for when the cluster has a newer state than the watch has shown.
    func beginWatching() -> GatewayCall {
        let call = GatewayCall()
        let isClosed = state.withLock { state in
            (state.watch, state.lastMessage) = (call, .now)
            return state.isClosed
        }
        if isClosed { call.cancel() }
        return call
    }

    /// Records a message of the watch.
    ///
    /// - Returns: The newest revision known from another source.
    func recordMessage() -> Int64 {
        state.withLock { state in
            state.lastMessage = .now
            return state.contents.newestRevision
        }
    }

    /// Ends the watch, so that another member is watched.
    func leaveWatch() { state.withLock { $0.watch }?.cancel() }

    /// Records that the cluster has an earlier state than the known one. The follower then verifies that.
    func recordEarlierState() {
        state.withLock { $0.identity.isVerified = false }
        leaveWatch()
    }

    /// Records that the watch has ended, so that changes may be missed from now on.
    func endWatching() {
        state.withLock { state in
            (state.watch, state.isWatching) = (nil, false)
            state.identity.isVerified = false
        }
    }

    /// Records that the watch is established.
    func recordReached() {
        let wasReported = state.withLock { state in
            state.isWatching = true
            // Sending is retried now.
            return state.outage.endFollowing()
        }
        if wasReported { report(.clusterReached) }
        // Waiting writes can be sent now.
        retryWake.signal()
    }

    /// Ends an outage of sending after an answer, which the follower has not noticed.
    func endSendingOutage() {
        if state.withLock({ $0.outage.endSending() }) { report(.clusterReached) }
    }

    /// Begins to read the whole state.
    ///
    /// - Returns: The newest revision seen. If the read finds an earlier one, the cluster was restored.
    func beginReading() -> Int64 {
        withLocalState { try $0?.beginReading() }
        return state.withLock { $0.contents.newestRevision }
    }

    /// Applies the whole state of a cluster.
    ///
    /// - Parameter newest: The newest revision seen before the state was read.
    func apply(_ entries: [ClusterEntry], at revision: Int64, after newest: Int64, of cluster: UInt64) {
        let strangers = state.withLock { state in
            state.queue.forgetBases(of: state.contents.namesWithReusedRevision(in: entries))
            feed.publish(state.contents.replace(with: entries, at: revision, after: newest), origin: .external)
            let strangers = identify(cluster, &state)
            state.identity.isVerified = true
            state.wakeProgressWaiters()
            return strangers
        }
        keepAside(strangers)
        updateLocalFiles()
        sendWake.signal()
        flushSoon()
    }

    /// Applies the events of one revision.
    func apply(_ revision: WatchFold.Revision) {
        state.withLock { state in
            // The watch can be faster than the answer to this program's own transaction.
            let isOwn = state.underWay.map { $0.makes(revision, in: range) } ?? false
            feed.publish(
                state.contents.apply(revision.events, at: revision.number), origin: isOwn ? .local : .external)
            state.wakeProgressWaiters()
        }
        flushSoon()
        updateLocalFiles()
    }

    /// Sends values again that have expired with their lease.
    func restore(_ values: [String: Data]) {
        if values.isEmpty { return }
        state.withLock { state in
            for (name, data) in values {
                var write = QueuedWrite(id: state.queue.makeID(), writes: [name: data], isAccepted: true)
                // The write loses to a value that another client has stored in the meantime.
                (write.hasWaited, write.bases) = (true, [name: 0])
                // Waiting writes are newer.
                state.queue.prepend(write)
                feed.publish(state.show([name]), origin: .local)
            }
        }
        flushSoon()
    }
}

extension EtcdCluster.State {
    fileprivate mutating func wakeProgressWaiters() {
        for waiter in progressWaiters { waiter.signal() }
        progressWaiters = []
    }
}

extension PlannedTransaction {
    /// Whether this transaction produces the events.
    fileprivate func makes(_ revision: WatchFold.Revision, in range: KeyRange) -> Bool {
        revision.events.allSatisfy { event in
            guard let name = range.name(in: event.entry.key), let data = writes[name] else { return false }
            return event.isRemoval ? data == nil : data == event.entry.value
        }
    }
}

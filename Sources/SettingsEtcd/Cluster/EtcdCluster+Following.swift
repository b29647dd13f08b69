import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the follower and the sender tell.
extension EtcdCluster {
    var scope: SettingsService.Scope { change { $0.scope } }

    /// Notes that the cluster cannot be reached, or does not do what it is asked for. It is reported once for each code.
    func noteOutage(_ failure: GatewayFailure, of part: Outage.Part) {
        let (failure, isWriteWaiting) = change { state in
            state.queue.noteLostConnection()
            state.outage.begin(failure, of: part)
            return (state.outage.takeUnreported(), state.queue.hasAccepted)
        }
        guard let failure else { return }
        report(failure.code, failure)
        if isWriteWaiting { report(.notYetAgreed, failure) }
    }

    /// Notes that the cluster still holds what is known.
    func noteVerified() {
        change { state in
            state.identity.verify()
            state.wakeProgressWaiters()
        }
        sendWake.signal()
    }

    /// Begins a watch.
    ///
    /// - Returns: What ends it, when the cluster is known to hold more than the watch has told.
    func beginWatching() -> GatewayCall {
        let call = GatewayCall()
        let isClosed = change { state in
            (state.watch, state.heard) = (call, .now)
            return state.isClosed
        }
        if isClosed { call.cancel() }
        return call
    }

    /// Notes a message of the watch.
    ///
    /// - Returns: The newest revision that is known from elsewhere.
    func noteHeard() -> Int64 {
        change { state in
            state.heard = .now
            return state.contents.newestRevision
        }
    }

    /// Has another member be watched.
    func leaveWatch() { state.withLock { $0.watch }?.cancel() }

    /// Notes that the cluster is at an earlier state than the one that is known, which the follower finds out next.
    func noteEarlierState() {
        change { $0.identity.doubt() }
        leaveWatch()
    }

    /// Notes that the watch has ended, so that changes may be missed from now on.
    func endWatching() {
        change { state in
            (state.watch, state.isWatching) = (nil, false)
            state.identity.doubt()
        }
    }

    /// Notes that the watch is in place.
    func noteReached() {
        let wasReported = change { state in
            state.isWatching = true
            // Sending is tried again now.
            return state.outage.noteReached()
        }
        if wasReported { report(.clusterReached) }
        // What waits can be sent now.
        retryWake.signal()
    }

    /// Notes that a request of the sender was answered, which ends an outage that the follower has not noticed.
    func noteSent() {
        if change({ $0.outage.end(of: .sending) }) { report(.clusterReached) }
    }

    /// Notes that the whole state is read now.
    ///
    /// - Returns: The newest revision that was seen. If the read finds an earlier one, the cluster was restored.
    func beginReading() -> Int64 {
        withLocalState { try $0.beginReading() }
        return change { $0.contents.newestRevision }
    }

    /// Takes the whole state of a cluster.
    ///
    /// - Parameter newest: The newest revision that was seen before the state was read.
    func take(_ entries: [ClusterEntry], at revision: Int64, after newest: Int64, of cluster: UInt64) {
        let strangers = change { state in
            state.queue.forgetBases(of: state.contents.namesWithReusedRevision(in: entries))
            feed.publish(state.contents.replace(with: entries, at: revision, after: newest), origin: .external)
            let strangers = identify(cluster, &state)
            state.identity.verify()
            state.hasRead = true
            state.wakeProgressWaiters()
            return strangers
        }
        keepAside(strangers)
        keepAll()
        sendWake.signal()
        flushSoon()
    }

    /// Takes the events of one revision.
    func take(_ revision: WatchFold.Revision) {
        let names = revision.events.compactMap { range.name(in: $0.entry.key) }
        change { state in
            // The watch can be faster than the answer to this program's own transaction.
            let isOwn = state.underWay.map { $0.makes(revision, in: range) } ?? false
            feed.publish(
                state.contents.take(revision.events, at: revision.number), origin: isOwn ? .local : .external)
            state.wakeProgressWaiters()
        }
        flushSoon()
        keep(names)
    }

    /// Sends values again that have expired with their lease.
    func restore(_ values: [String: Data]) {
        if values.isEmpty { return }
        change { state in
            for (name, data) in values {
                var write = QueuedWrite(id: state.queue.makeID(), writes: [name: data], isAccepted: true)
                // It loses to another client that has stored the name meanwhile.
                (write.hasWaited, write.bases) = (true, [name: 0])
                // What waits is newer.
                state.queue.prepend(write)
                feed.publish(state.contents.showBelow(write.writes), origin: .local)
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
    /// Whether the events are what this transaction makes.
    fileprivate func makes(_ revision: WatchFold.Revision, in range: KeyRange) -> Bool {
        revision.events.allSatisfy { event in
            guard let name = range.name(in: event.entry.key), let data = writes[name] else { return false }
            return event.isRemoval ? data == nil : data == event.entry.value
        }
    }
}

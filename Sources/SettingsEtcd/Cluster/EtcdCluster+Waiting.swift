import Dispatch
import SettingsKitCore

/// Waits for writes, and for the cluster's current state.
extension EtcdCluster {
    /// Waits until a write has ended, or the caller's time is over.
    func wait(for waiter: Waiter, _ id: QueuedWrite.ID) -> WriteOutcome {
        if let outcome = waiter.wait(options.patience) { return outcome }
        // The write has ended after all, late.
        return state.withLock { state -> WriteOutcome? in
            if state.waiters.removeValue(forKey: id) == nil { return nil }
            _ = state.queue.remove(id)
            let isUnderWay = state.underWay?.ids.contains(id) ?? false
            return isUnderWay ? .unknown(.timedOut) : .unreached(state.outage.cause ?? .timedOut)
        } ?? waiter.wait(EtcdTimings.latePatience) ?? .unknown(.timedOut)
    }

    /// Whether the cluster's values equal the expected ones, at one moment during the call. If not, this store knows the values.
    func confirm(_ expectations: [SettingsStoreBatch.Entry]) throws(SettingsError) -> Bool {
        if expectations.isEmpty { return true }
        let deadline = ContinuousClock.now + options.patience
        try waitForQueue()
        let size = expectations.reduce(0) { $0 + $1.key.name.utf8.count + ($1.data?.count ?? 0) + 64 }
        if expectations.count <= EtcdLimits.operations && size <= EtcdLimits.transaction {
            switch try compare(expectations, within: ContinuousClock.now.duration(to: deadline)) {
            case .equal: return true
            case .different: return false
            case .notFollowed: break
            }
        }
        // No transaction compares that much, or the follower must read again.
        try catchUp(until: deadline)
        return holds(expectations)
    }

    private enum Comparison {
        case equal
        /// This store now knows the cluster's values.
        case different
        /// The answer belongs to a state of the cluster that this store does not follow.
        case notFollowed
    }

    /// Compares with the cluster's current values, by a transaction that most members confirm.
    private func compare(
        _ expectations: [SettingsStoreBatch.Entry], within time: Duration
    ) throws(SettingsError) -> Comparison {
        if isClosed { throw SettingsError(.storeClosed, store: description) }
        let names = expectations.map(\.key.name)
        let (revision, comparisons) = state.withLock { state in
            let comparisons = expectations.map { expectation in
                GatewayMessage.Comparison(key: state.contents.key(of: expectation.key.name), value: expectation.data)
            }
            return (state.contents.revision, comparisons)
        }
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = try client.ask(.transaction(comparisons, []), within: time, call: call)
            if answer.hasSucceeded { return .equal }
            guard answer.reads.count == names.count else { throw .notEtcd(status: 200) }
        } catch {
            throw SettingsError(error.code, store: description, underlying: error)
        }
        let entries = Dictionary(zip(names, answer.reads.map { $0.entries.first })) { $1 }
        let isFollowed = state.withLock { state in
            guard state.identity.isOn(answer.header.cluster), answer.header.revision >= revision else { return false }
            feed.publish(state.contents.apply(entries, at: answer.header.revision), origin: .external)
            return true
        }
        guard isFollowed else { return .notFollowed }
        updateLocalFiles()
        feed.flush()
        return .different
    }

    /// Returns when the cluster has agreed on all writes accepted so far, and this store knows a state that the cluster had
    /// during the call.
    func synchronize() throws(SettingsError) {
        let deadline = ContinuousClock.now + options.patience
        try waitForQueue()
        try catchUp(until: deadline)
    }

    private func waitForQueue() throws(SettingsError) {
        let waiter = Waiter()
        let id = try state.withLock { state throws(SettingsError) -> QueuedWrite.ID? in
            guard state.queue.hasAccepted else { return nil }
            if state.isClosed { throw SettingsError(.storeClosed, store: description) }
            let barrier = QueuedWrite(id: state.queue.makeID(), writes: [:], isAccepted: false)
            state.queue.append(barrier)
            state.waiters[barrier.id] = waiter
            return barrier.id
        }
        guard let id else { return }
        sendWake.signal()
        switch wait(for: waiter, id) {
        case .agreed: return
        case .refused, .overruled: throw SettingsError(.notYetAgreed, store: description)
        case .failed(let failure), .unreached(let failure), .unknown(let failure):
            throw SettingsError(.notYetAgreed, store: description, underlying: failure)
        }
    }

    /// Asks the cluster, by a read that most members confirm, whether this store knows its state, and waits until it does.
    private func catchUp(until deadline: ContinuousClock.Instant) throws(SettingsError) {
        var goal: Int64?
        var watchDeadline = ContinuousClock.now + EtcdTimings.catchUpPatience
        // The follower may be pausing after a failure.
        followWake.signal()
        while true {
            let progress = DispatchSemaphore(value: 0)
            let (known, isVerified, isWatching) = state.withLock { state in
                state.progressWaiters.append(progress)
                return (state.contents.revision, state.identity.isVerified, state.isWatching)
            }
            defer { state.withLock { state in state.progressWaiters.removeAll { $0 === progress } } }
            if let goal, known >= goal, isVerified { return feed.flush() }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                let cause = state.withLock { $0.outage.cause } ?? .timedOut
                throw SettingsError(cause.code, store: description, underlying: cause)
            }
            if isClosed { throw SettingsError(.storeClosed, store: description) }
            if isVerified || goal == nil && known > 0 {
                do throws(GatewayFailure) {
                    let answer = try changes(after: known, within: left)
                    if state.withLock({ state in state.isCurrent(known, answer) }) { return feed.flush() }
                    if answer.header.revision < known {
                        // The cluster was restored from a backup, and the watch has not noticed that yet.
                        recordEarlierState()
                    } else {
                        goal = goal ?? answer.header.revision
                    }
                } catch {
                    throw SettingsError(error.code, store: description, underlying: error)
                }
            }
            if goal == nil || !isWatching {
                watchDeadline = .now + EtcdTimings.catchUpPatience
            } else if watchDeadline < .now {
                leaveWatch()
                watchDeadline = .now + EtcdTimings.catchUpPatience
            }
            progress.wait(for: min(left, EtcdTimings.catchUpPause))
        }
    }

    /// Reads the names that have changed after a revision. Removals show in the number of keys.
    func changes(after revision: Int64, within time: Duration) throws(GatewayFailure) -> RangeAnswer {
        let range = GatewayMessage.Range(
            first: range.prefix, end: range.end, limit: 1, minModRevision: revision + 1, omitsValues: true)
        return try client.ask(.range(range), within: time, call: call)
    }
}

extension EtcdCluster.State {
    /// Whether the known state at a revision is also the answer's. If so, records that.
    ///
    /// No key was written since then, so all present keys were present then. Their number is the same, so none was removed.
    mutating func isCurrent(_ known: Int64, _ answer: RangeAnswer) -> Bool {
        guard answer.entries.isEmpty, contents.revision == known, answer.count == contents.count,
            answer.header.revision >= known, identity.isOn(answer.header.cluster), identity.isVerified
        else { return false }
        contents.reach(answer.header.revision)
        return true
    }
}

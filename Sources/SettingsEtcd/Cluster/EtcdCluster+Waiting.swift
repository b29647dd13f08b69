import Dispatch
import SettingsKitCore

/// Waits for the follower, and for the cluster's current state.
extension EtcdCluster {
    /// Waits until the cluster has confirmed the known state since the last watch ended.
    func waitForFollower(until deadline: ContinuousClock.Instant) throws(SettingsError) {
        while true {
            let progress = DispatchSemaphore(value: 0)
            let isVerified = try state.withLock { state throws(SettingsError) in
                if state.isClosed { throw SettingsError(.storeClosed, store: description) }
                if !state.isVerified { state.progressWaiters.append(progress) }
                return state.isVerified
            }
            if isVerified { return }
            followWake.signal()
            if progress.wait(for: ContinuousClock.now.duration(to: deadline)) { continue }
            let outage = state.withLock { state in
                state.progressWaiters.removeAll { $0 === progress }
                return state.outage
            }
            throw failed(outage ?? .timedOut)
        }
    }

    /// Whether the cluster's values equal the expected ones, at one moment during the call. If not, this store knows the values.
    func confirm(_ expectations: [SettingsStoreBatch.Entry]) throws(SettingsError) -> Bool {
        let deadline = ContinuousClock.now + options.patience
        defer { feed.flush() }
        let size = expectations.reduce(0) { $0 + $1.key.name.utf8.count + ($1.data?.count ?? 0) + 64 }
        if expectations.count <= EtcdLimits.operations, size <= EtcdLimits.write / 2,
            let answer = try compare(expectations, within: options.patience)
        {
            return answer
        }
        // No transaction compares that much, or the follower must read again.
        try catchUp(until: deadline)
        return state.withLock { $0.holds(expectations) }
    }

    /// Compares with the cluster's current values, by a transaction that most members confirm.
    ///
    /// - Returns: nil if the answer belongs to a state of the cluster that this store does not follow.
    private func compare(
        _ expectations: [SettingsStoreBatch.Entry], within time: Duration
    ) throws(SettingsError) -> Bool? {
        if isClosed { throw SettingsError(.storeClosed, store: description) }
        let comparisons = state.withLock { state in
            expectations.map { expectation -> GatewayMessage.Comparison in
                let key = state.contents.key(of: expectation.key.name)
                return expectation.data.map { .value(key: key, $0) } ?? .modRevision(key: key, 0)
            }
        }
        do throws(GatewayFailure) {
            let answer: TransactionAnswer = try client.ask(.transaction(comparisons, []), within: time, call: call)
            if answer.hasSucceeded { return true }
            guard answer.reads.count == comparisons.count else { throw .notEtcd(status: 200) }
            let isFollowed = state.withLock { state in
                state.cluster == answer.header.cluster && answer.header.revision >= state.contents.revision
            }
            guard isFollowed else { return nil }
            show(answer.reads, of: comparisons, at: answer.header.revision)
            return false
        } catch {
            throw failed(error)
        }
    }

    /// Applies the reads of a transaction that has not succeeded.
    func show(_ reads: [RangeAnswer], of comparisons: [GatewayMessage.Comparison], at revision: Int64) {
        let views = zip(comparisons, reads).map { (key: $0.key, entry: $1.entries.first) }
        state.withLock { feed.publish($0.contents.show(views, at: revision), origin: .external) }
        saveLater()
    }

    /// Asks the cluster, by a read that most members confirm, whether this store knows its state, and waits until it does.
    func catchUp(until deadline: ContinuousClock.Instant) throws(SettingsError) {
        var goal: Int64?
        var watchDeadline = ContinuousClock.now + EtcdTimings.catchUpPatience
        defer { feed.flush() }
        while true {
            try waitForFollower(until: deadline)
            let known = state.withLock { $0.contents.revision }
            if let goal, known >= goal { return }
            let left = ContinuousClock.now.duration(to: deadline)
            if left <= .zero { throw failed(.timedOut) }
            do throws(GatewayFailure) {
                // Removals show in the number of keys.
                let changes = GatewayMessage.Range(
                    first: range.prefix, end: range.end, limit: 1, minModRevision: known + 1, omitsValues: true)
                let answer: RangeAnswer = try client.ask(.range(changes), within: left, call: call)
                if state.withLock({ $0.isCurrent(known, answer) }) { return }
                if answer.header.revision < known {
                    // The cluster was restored from a backup, and the watch has not noticed that yet.
                    leaveWatch()
                } else {
                    goal = goal ?? answer.header.revision
                }
            } catch {
                throw failed(error)
            }
            let progress = DispatchSemaphore(value: 0)
            state.withLock { $0.progressWaiters.append(progress) }
            progress.wait(for: min(left, EtcdTimings.catchUpPause))
            state.withLock { $0.progressWaiters.removeAll { $0 === progress } }
            if watchDeadline < .now {
                // Another member is watched.
                leaveWatch()
                watchDeadline = .now + EtcdTimings.catchUpPatience
            }
        }
    }
}

extension EtcdCluster.State {
    /// Whether the known state at a revision is also the answer's. If so, records that.
    ///
    /// No key was written since then, so all present keys were present then. Their number is the same, so none was removed.
    mutating func isCurrent(_ known: Int64, _ answer: RangeAnswer) -> Bool {
        guard answer.entries.isEmpty, contents.revision == known, answer.count == contents.count,
            answer.header.revision >= known, answer.header.cluster == cluster, isVerified
        else { return false }
        contents.reach(answer.header.revision)
        return true
    }
}

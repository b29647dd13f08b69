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
                    leaveWatch(mustRead: true)
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
                // The watch is late. Another member is asked, and watched.
                leaveWatch(mustRead: true)
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

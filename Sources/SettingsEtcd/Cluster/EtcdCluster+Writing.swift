import Dispatch
import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes, on the caller's thread. A batch is one transaction of the cluster, which is carried out once or not at all.
extension EtcdCluster {
    /// Stores bytes under a key, unless the cluster has them.
    ///
    /// - Throws: At once if the cluster cannot be reached.
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        let isStored = state.withLock { state in
            state.isVerified && state.outage == nil && state.contents[key.name] == data
                && state.underWay[key.name] == nil && !state.uncertain.contains(key.name)
        }
        if isStored, options.access == .readWrite { return }
        _ = try write(SettingsStoreBatch(writes: [.init(key: key, data: data)]), failsAtOnce: true)
    }

    /// Makes a batch.
    ///
    /// - Parameter failsAtOnce: Whether not to wait for a cluster that cannot be reached.
    /// - Returns: False, without a change, if an expectation does not hold.
    func write(_ batch: SettingsStoreBatch, failsAtOnce: Bool) throws(SettingsError) -> Bool {
        let deadline = ContinuousClock.now + options.patience
        if options.access == .readOnly { throw SettingsError(.readOnly, store: description) }
        try requireRoom(batch)
        defer { feed.flush() }
        func requireConnection() throws(SettingsError) {
            let (outage, isClosed) = state.withLock { ($0.outage, $0.isClosed) }
            if isClosed { throw SettingsError(.storeClosed, store: description) }
            if failsAtOnce, let outage { throw error(outage) }
        }
        try requireConnection()
        guard turn.wait(for: ContinuousClock.now.duration(to: deadline)) else {
            throw error(state.withLock { $0.outage } ?? .timedOut)
        }
        defer { turn.signal() }
        // The transaction before this one may have failed.
        try requireConnection()
        guard var marker = marker.withLock({ $0.take() }) else { preconditionFailure("The turn protects the marker.") }
        defer {
            self.marker.withLock { $0 = marker }
            state.withLock { $0.underWay = [:] }
        }
        while true {
            try waitForFollower(until: deadline)
            if try write(batch, &marker, until: deadline) { return true }
            // The known values show whether the batch is refused, or another program has written the same bytes.
            if state.withLock({ !$0.holds(batch.expectations) }) { break }
        }
        // Others are faster: a random pause keeps them from repeating their attempts together.
        pause(conflicts.withLock { $0.fail() }, until: deadline)
        return false
    }

    private func requireRoom(_ batch: SettingsStoreBatch) throws(SettingsError) {
        let names = Set((batch.writes + batch.expectations).map(\.key.name))
        if names.count > EtcdLimits.operations { throw SettingsError(.tooManyOperations, store: description) }
        let size = batch.writes.reduce(0) { $0 + $1.key.name.utf8.count + ($1.data?.count ?? 0) }
        if size > EtcdLimits.write {
            throw SettingsError(.tooLarge, store: description, underlying: TransactionLimit())
        }
    }

    func error(_ failure: GatewayFailure) -> SettingsError {
        SettingsError(failure.code, store: description, underlying: failure)
    }

    // MARK: One transaction

    /// Plans a batch over the known values, and has the cluster carry it out.
    ///
    /// - Returns: Whether it was made. If not, the known values are newer.
    private func write(
        _ batch: SettingsStoreBatch, _ marker: inout ClientMarker, until deadline: ContinuousClock.Instant
    ) throws(SettingsError) -> Bool {
        do throws(GatewayFailure) {
            try marker.prepare(client, within: requestTime(until: deadline), call: call)
        } catch {
            if error.needsPerson || ContinuousClock.now >= deadline || error == .cancelled { throw failed(error) }
            var pauses = EtcdTimings.writingPauses
            pause(pauses.fail(), until: deadline)
            return false
        }
        let plan = state.withLock { state -> (transaction: ClientMarker.Transaction, newest: Int64)? in
            guard state.holds(batch.expectations), state.cluster == marker.cluster else { return nil }
            var writes: [String: Data?] = [:]
            for write in batch.writes { writes[write.key.name] = .some(write.data) }
            state.underWay = writes
            let expected = Set(batch.expectations.map(\.key.name)).sorted()
            return (
                ClientMarker.Transaction(
                    expected.map(state.contents.comparison),
                    writes.sorted { $0.key < $1.key }.map { name, data in
                        .init(key: state.contents.key(of: name), value: data)
                    }), state.contents.newestRevision
            )
        }
        guard let plan else {
            if state.withLock({ $0.cluster != marker.cluster }) {
                // The cluster was replaced, whether or not the follower has noticed.
                marker.forget()
                leaveWatch()
            }
            return false
        }
        var transaction = plan.transaction
        marker.begin(&transaction)
        switch try send(transaction, of: batch, &marker, until: deadline) {
        case .made(let revision):
            let views = transaction.operations.map { operation in
                let entry = operation.value.map {
                    ClusterEntry(key: operation.key, value: $0, modRevision: revision)
                }
                return (key: operation.key, entry: entry)
            }
            state.withLock { state in
                state.uncertain.subtract(batch.writes.map(\.key.name))
                feed.publish(state.contents.show(views, at: revision), origin: .local)
            }
            conflicts.withLock { $0.succeed() }
            saveLater()
            if revision < plan.newest {
                // Made in a cluster that was restored, and whose values are not known yet. The write is made also if they stay unknown.
                leaveWatch(mustRead: true)
                try? waitForFollower(until: deadline)
            }
            return true
        case .refused(let reads, let revision):
            if revision < plan.newest {
                leaveWatch(mustRead: true)
            } else {
                let views = zip(transaction.comparisons, reads).map { (key: $0.key, entry: $1.entries.first) }
                state.withLock { feed.publish($0.contents.show(views, at: revision), origin: .external) }
                saveLater()
            }
        case .notMade: break
        }
        return false
    }

    /// Sends a transaction until it is answered, or the time is over.
    private func send(
        _ transaction: ClientMarker.Transaction, of batch: SettingsStoreBatch, _ marker: inout ClientMarker,
        until deadline: ContinuousClock.Instant
    ) throws(SettingsError) -> ClientMarker.Outcome {
        var pauses = EtcdTimings.writingPauses
        // Whether an earlier request may have been carried out, or still may be.
        var mayBeMade = false
        func end(_ failure: GatewayFailure) -> SettingsError {
            let error = failed(failure)
            if !mayBeMade { return error }
            state.withLock { $0.uncertain.formUnion(batch.writes.map(\.key.name)) }
            return SettingsError(.outcomeUnknown, store: description, underlying: failure)
        }
        while true {
            let time = requestTime(until: deadline)
            if time <= .zero { throw end(.timedOut) }
            let failure: GatewayFailure
            do throws(GatewayFailure) {
                return try marker.send(transaction, by: client, within: time, call: call)
            } catch {
                failure = error
            }
            if failure == .noMarker, !mayBeMade { return .notMade }
            if !failure.isCertain { mayBeMade = true }
            if failure.needsPerson || failure == .cancelled || failure == .noMarker { throw end(failure) }
            pause(pauses.fail(), until: deadline)
            if requestTime(until: deadline) <= .zero { throw end(failure) }
        }
    }

    // MARK: Time

    /// The time limit of a single request, which leaves time for others. It does not grow with a long patience: a member that has
    /// lost the others keeps a request for seconds, and another member answers immediately.
    private func requestTime(until deadline: ContinuousClock.Instant) -> Duration {
        min(
            ContinuousClock.now.duration(to: deadline), options.patience * EtcdTimings.shareOfPatience,
            EtcdTimings.longestRequest)
    }

    private func pause(_ time: Duration, until deadline: ContinuousClock.Instant) {
        DispatchSemaphore(value: 0).wait(for: min(time, ContinuousClock.now.duration(to: deadline)))
    }

    /// Records that a write has failed. If the cluster was not reached, a `set` fails at once until the watch is connected again.
    func failed(_ failure: GatewayFailure) -> SettingsError {
        let error = error(failure)
        if [.clusterUnreachable, .clusterNotSecure, .clusterLoginRefused].contains(error.code) {
            state.withLock { $0.outage = failure }
            leaveWatch()
        }
        return error
    }
}

extension EtcdCluster.State {
    /// Whether expectations hold for the known values.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool { expectations.hold { contents[$0] } }
}

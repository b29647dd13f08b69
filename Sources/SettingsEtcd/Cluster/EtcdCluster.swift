import Dispatch
import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shared state of a store and its two threads: the follower, which reads and watches, and the sender, which writes.
///
/// `order` is held while a write is accepted, so that the local file and the queue have the same order; `state` is held briefly
/// inside it. No lock is held while the network is used or listeners run.
final class EtcdCluster: Sendable {
    struct State {
        var contents: ClusterContents
        var identity = ClusterIdentity()
        var queue = WriteQueue()
        /// The callers that wait for writes of the queue.
        var waiters: [QueuedWrite.ID: Waiter] = [:]
        /// The writes in the current request.
        var underWay: PlannedTransaction?
        /// The callers that wait for the follower's progress.
        var progressWaiters: [DispatchSemaphore] = []
        var outage = Outage()
        /// The names with a write whose outcome is unknown, and will remain so.
        var uncertain: Set<String> = []
        /// The watch, or the attempt to create one; nil if there is none.
        var watch: GatewayCall?
        /// Whether the watch is established.
        var isWatching = false
        /// The time of the watch's last message.
        var lastMessage = ContinuousClock.now
        var isClosed = false
        var runningThreads = 0
        /// The scope of the last use of the store, for messages.
        var scope = SettingsService.Scope.defaults
    }

    let feed: SettingsStoreFeed
    let description: String
    let range: KeyRange
    let options: EtcdStore.Options
    let client: GatewayClient
    let state: Mutex<State>
    /// The local files; nil if there are none, and after the end.
    let localState: Mutex<LocalState?>
    private let order = Mutex((), .cluster)
    /// The queue for listeners, apart from the threads that follow and send.
    private let listenerQueue: BackgroundQueue
    /// Wakes the sender when there is something to send.
    let sendWake = DispatchSemaphore(value: 0)
    /// Ends the sender's pause after a failure: the cluster is reached, or the store is closed. New writes do not end it.
    let retryWake = DispatchSemaphore(value: 0)
    /// Ends the follower's pause after a failure.
    let followWake = DispatchSemaphore(value: 0)
    /// Signaled after the follower's first attempt to read.
    let firstAttempt = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    let call = GatewayCall()
    private let conflicts = Mutex(EtcdTimings.conflictPauses, .leaf)

    /// - Parameter openState: Opens the local files; nil for none. Problems are reported outside of all locks.
    init(
        prefix: String, options: EtcdStore.Options, client: GatewayClient,
        openState: (_ report: @escaping StateList.Report) throws -> LocalState?
    ) throws {
        (self.options, self.client) = (options, client)
        (range, description) = (KeyRange(prefix: prefix), "EtcdStore \(prefix)")
        let (feed, queue) = (SettingsStoreFeed(agreesWithOthers: true), BackgroundQueue())
        (self.feed, listenerQueue) = (feed, queue)
        let localState = try openState { problem in queue.async { feed.report(problem) } }
        state = Mutex(State(contents: ClusterContents(range: range)), .contents)
        self.localState = Mutex(localState, .clusterFile)
        guard let localState else { return }
        let (known, cluster, pending) = (localState.known(in: range), localState.cluster, localState.pending())
        state.withLock { state in
            _ = state.contents.begin(with: known)
            (state.identity, state.queue) = (ClusterIdentity(probably: cluster), WriteQueue(pending))
            _ = state.show(pending.flatMap(\.writes.keys))
        }
    }

    /// Starts the threads, and waits for the first read, but no longer than the options permit.
    func start() throws(SettingsError) {
        let works: [@Sendable () -> Void] =
            [{ Follower.run(self) }] + (options.access == .readWrite ? [{ Sender.run(self) }] : [])
        for work in works {
            state.withLock { $0.runningThreads += 1 }
            guard OwnThread.start(work) else {
                state.withLock { $0.runningThreads -= 1 }
                close()
                throw SettingsError(.storeUnavailable, store: description)
            }
        }
        firstAttempt.wait(for: options.openingPatience)
        if let cause = state.withLock({ $0.outage.nextUnreported() }) { report(cause.code, cause) }
    }

    /// Ends the threads, and waits briefly for them.
    func close() {
        let running = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed ? 0 : state.runningThreads
        }
        call.cancel()
        leaveWatch()
        for wake in [sendWake, retryWake, followWake] { wake.signal() }
        let deadline = ContinuousClock.now + EtcdTimings.closingPatience
        for _ in 0..<running { end.wait(for: ContinuousClock.now.duration(to: deadline)) }
        // Another store must be able to use the file immediately.
        let file = localState.withLock { file in
            defer { file = nil }
            file?.unlock()
            return file
        }
        // Released outside of the lock.
        withExtendedLifetime(file) {}
    }

    /// Called at the end of each thread.
    func threadDidEnd() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.end(.unknown(.cancelled)) }
        end.signal()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func report(_ code: SettingsError.Code, key: SettingsService.StorageKey? = nil, _ cause: (any Error)? = nil) {
        feed.report(SettingsError(code, key: key, store: description, underlying: cause))
    }

    /// Calls listeners soon, on a thread that may wait for the cluster.
    func flushSoon() { listenerQueue.async { [feed] in feed.flush() } }

    // MARK: Writing

    private func requireWriting() throws(SettingsError) {
        if options.access == .readOnly { throw SettingsError(.readOnly, store: description) }
        if isClosed { throw SettingsError(.storeClosed, store: description) }
    }

    private func recordScope(_ batch: SettingsStoreBatch) {
        guard let key = batch.writes.first?.key else { return }
        state.withLock { $0.scope = key.scope }
    }

    private func requireRoom(_ write: QueuedWrite) throws(SettingsError) {
        guard PlannedTransaction.canMake(write) else { throw SettingsError(.tooManyOperations, store: description) }
        guard write.size <= EtcdLimits.write else {
            throw SettingsError(.tooLarge, store: description, underlying: TransactionLimit())
        }
    }

    /// Whether expectations hold for the values that readers see at one moment.
    func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool { state.withLock { $0.holds(expectations) } }

    /// Accepts a write: shows it to readers, keeps it in the local file, and queues it.
    ///
    /// - Returns: False, without a change, if an expectation does not hold.
    func accept(_ batch: SettingsStoreBatch) throws -> Bool {
        try requireWriting()
        recordScope(batch)
        defer { feed.flush() }
        var isRebased = false
        let isAccepted = try order.withLock { _ -> Bool? in
            let write = state.withLock { state -> QueuedWrite? in
                guard state.holds(batch.expectations) else { return nil }
                var write = QueuedWrite(id: state.queue.makeID(), batch, isAccepted: true)
                write.writes = write.writes.filter { state.mustSend($0.key, $0.value, options) }
                write.bases = state.contents.modRevisions(of: write.writes.keys)
                if options.keepsWrites { write.cluster = state.identity.cluster }
                write.hasWaited = state.outage.cause != nil
                return write
            }
            guard let write else { return nil }
            if write.writes.isEmpty { return false }
            try requireRoom(write)
            if try replace(by: write) { return true }
            try store(write)
            isRebased = append(write)
            return true
        }
        if isRebased { updateLocalFiles() }
        if isAccepted == true { sendWake.signal() }
        return isAccepted != nil
    }

    /// Replaces a waiting write by an accepted one, if possible.
    private func replace(by write: QueuedWrite) throws -> Bool {
        guard let earlier = state.withLock({ $0.beginReplacing(by: write) }) else { return false }
        do {
            try store(write, insteadOf: earlier)
        } catch {
            state.withLock { _ = $0.queue.endReplacing(by: nil) }
            throw error
        }
        return state.withLock { state in
            guard state.queue.endReplacing(by: write) else { return false }
            feed.publish(state.show(write.writes.keys), origin: .local)
            return true
        }
    }

    /// Appends an accepted write to the queue, and shows it to readers.
    ///
    /// - Returns: Whether its bases or its cluster have changed since it was stored, for example because the cluster has agreed
    ///   on an earlier write.
    private func append(_ write: QueuedWrite) -> Bool {
        state.withLock { state in
            var accepted = write
            accepted.bases = state.contents.modRevisions(of: write.writes.keys)
            if options.keepsWrites { accepted.cluster = state.identity.cluster }
            let isRebased = accepted.bases != write.bases || accepted.cluster != write.cluster
            (accepted.seen, accepted.hasWaited) = (state.contents.revision, state.outage.cause != nil)
            state.queue.append(accepted, isRebased: isRebased)
            feed.publish(state.show(write.writes.keys), origin: .local)
            return isRebased
        }
    }

    /// Makes a write, and waits until the cluster has agreed.
    ///
    /// - Returns: False, without a change, if an expectation does not hold.
    func agree(_ batch: SettingsStoreBatch) throws -> Bool {
        try requireWriting()
        recordScope(batch)
        let waiter = Waiter()
        let id = try order.withLock { _ -> QueuedWrite.ID? in
            let write = state.withLock { state in
                state.holds(batch.expectations)
                    ? QueuedWrite(id: state.queue.makeID(), batch, isAccepted: false) : nil
            }
            guard let write else { return nil }
            try requireRoom(write)
            state.withLock { state in
                state.queue.append(write)
                state.waiters[write.id] = waiter
            }
            return write.id
        }
        guard let id else { return false }
        sendWake.signal()
        let outcome = wait(for: waiter, id)
        // Delivers changes from the watch or the failed transaction.
        feed.flush()
        switch outcome {
        case .agreed:
            conflicts.withLock { $0.succeed() }
            return true
        case .refused, .overruled:
            // Other clients are faster: a random pause keeps them from repeating their attempts together.
            let pause = conflicts.withLock { $0.fail() }
            DispatchSemaphore(value: 0).wait(for: pause)
            return false
        case .failed(let failure):
            throw SettingsError(.clusterRefused, store: description, underlying: failure)
        case .unreached(let failure):
            throw SettingsError(failure.code, store: description, underlying: failure)
        case .unknown(let failure):
            throw SettingsError(.outcomeUnknown, store: description, underlying: failure)
        }
    }
}

extension EtcdCluster.State {
    /// Whether the expectations hold for the values that readers see.
    fileprivate func holds(_ expectations: [SettingsStoreBatch.Entry]) -> Bool {
        expectations.hold { contents.visible[$0] }
    }

    /// Finds the waiting write that an accepted one can replace. If one of the name may have been applied, both are sent.
    fileprivate mutating func beginReplacing(by write: QueuedWrite) -> QueuedWrite.ID? {
        if write.writes.keys.contains(where: uncertain.contains) { return nil }
        return queue.beginReplacing(by: write, sent: underWay?.ids ?? [])
    }

    /// Whether an accepted value must be sent. A value that readers already see is in the cluster, with exceptions: a current
    /// request, or a write with an unknown outcome, may still replace it; a waiting write may lose; it may have an earlier run's
    /// lease, if values expire; and the watch may be in doubt, so that the cluster may have another value.
    fileprivate func mustSend(_ name: String, _ data: Data?, _ options: EtcdStore.Options) -> Bool {
        contents.visible[name] != data || options.expiring != nil || underWay?.writes[name] != nil
            || uncertain.contains(name) || queue.mayLose(name, contents) || isWatchInDoubt(options)
    }

    /// Whether readers may see old values, because there is no watch, or the member does not answer.
    private func isWatchInDoubt(_ options: EtcdStore.Options) -> Bool {
        !identity.isVerified || lastMessage + options.silence / 2 + EtcdTimings.watchDoubt < .now
    }
}

extension QueuedWrite {
    fileprivate init(id: ID, _ batch: SettingsStoreBatch, isAccepted: Bool) {
        self.init(id: id, writes: [:], isAccepted: isAccepted)
        for write in batch.writes { writes[write.key.name] = .some(write.data) }
        for expectation in batch.expectations { expectations[expectation.key.name] = .some(expectation.data) }
    }
}

/// A caller that waits for the end of a write.
final class Waiter: Sendable {
    private let outcome = Mutex<WriteOutcome?>(nil, .leaf)
    private let semaphore = DispatchSemaphore(value: 0)

    func end(_ outcome: WriteOutcome) {
        self.outcome.withLock { if $0 == nil { $0 = outcome } }
        semaphore.signal()
    }

    /// - Returns: nil if the time is over.
    func wait(_ time: Duration) -> WriteOutcome? {
        semaphore.wait(for: time)
        return outcome.withLock { $0 }
    }
}

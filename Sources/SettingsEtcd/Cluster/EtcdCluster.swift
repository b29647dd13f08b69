import Dispatch
import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shared state of a store: what its one thread, the follower, reads and watches, and what callers write.
///
/// No lock is held while the network is used or listeners run.
final class EtcdCluster: Sendable {
    struct State {
        var contents: ClusterContents
        /// The identifier of the cluster that was read; empty before the first read.
        var cluster = ""
        /// Whether the cluster has confirmed the known state since the last watch ended. It may have been restored from a backup in
        /// the meantime.
        var isVerified = false
        /// Why the cluster cannot be reached, or does not carry out writes; nil while the watch is connected.
        var outage: GatewayFailure? = .notConnected("not tried yet")
        /// The codes reported since the cluster was last reached.
        var reported: Set<SettingsError.Code> = []
        /// The watch, or the attempt to create one; nil if there is none.
        var watch: GatewayCall?
        /// The writes of the current transaction.
        var underWay: [String: Data?] = [:]
        /// The names with a write whose outcome is unknown, so that the known value may be outdated.
        var uncertain: Set<String> = []
        /// The callers that wait for the follower's progress.
        var progressWaiters: [DispatchSemaphore] = []
        /// Whether the follower reads all keys before it watches again.
        var mustRead = true
        var isClosed = false
        /// Whether the file lacks known values, and so will be written, and how long that took the last time.
        var isUnsaved = false
        var savingTime = Duration.zero

        /// Wakes the callers that wait for the follower.
        mutating func recordProgress() {
            for waiter in progressWaiters { waiter.signal() }
            progressWaiters = []
        }
    }

    let feed = SettingsStoreFeed(agreesWithOthers: true)
    let description: String
    let range: KeyRange
    let options: EtcdStore.Options
    let client: GatewayClient
    let state: Mutex<State>
    /// Permits one transaction after another.
    let turn = DispatchSemaphore(value: 1)
    /// Nil while a transaction uses it.
    let marker = Mutex<ClientMarker?>(ClientMarker(), .leaf)
    /// The pauses after refused batches.
    let conflicts = Mutex(EtcdTimings.conflictPauses, .leaf)
    /// Ends the follower's pause after a failure.
    let followWake = DispatchSemaphore(value: 0)
    /// Signaled after the follower's first attempt to read.
    let firstAttempt = DispatchSemaphore(value: 0)
    let call = GatewayCall()
    private let file: KnownFile?
    private let followerEnd = DispatchSemaphore(value: 0)
    /// The queue for listeners, apart from the thread that follows: they may wait for the cluster.
    private let listenerQueue = DispatchQueue(label: "SettingsEtcd.listeners")
    private let fileQueue = DispatchQueue(label: "SettingsEtcd.file", qos: .utility)

    init(prefix: String, options: EtcdStore.Options, client: GatewayClient, file: KnownFile?) {
        (self.options, self.client, self.file) = (options, client, file)
        (range, description) = (KeyRange(prefix: prefix), "EtcdStore \(prefix)")
        var contents = ClusterContents(range: range)
        do throws(SettingsError) {
            contents.begin(with: try file?.read() ?? [:])
        } catch {
            feed.report(error)
        }
        state = Mutex(State(contents: contents), .store)
    }

    /// Starts the follower, and waits for the first read, but no longer than the options permit.
    func start() {
        BackgroundQueue.run { [self] in
            Follower.run(self)
            followerEnd.signal()
        }
        firstAttempt.wait(for: options.openingPatience)
        if let outage = state.withLock({ $0.outage }) { recordOutage(outage) }
    }

    /// Ends the follower, and writes the file.
    func close() {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            state.recordProgress()
            return state.isClosed
        }
        if wasClosed { return }
        call.cancel()
        leaveWatch()
        followWake.signal()
        followerEnd.wait(for: EtcdTimings.closingPatience)
        fileQueue.sync { save() }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func report(_ code: SettingsError.Code, _ cause: (any Error)? = nil) {
        feed.report(SettingsError(code, store: description, underlying: cause))
    }

    /// Calls listeners soon, on a thread that may wait for the cluster.
    func flushSoon() { listenerQueue.async { [feed] in feed.flush() } }

    // MARK: The file of the last known values

    /// Plans to write the file. A large file is written rarely.
    func saveLater(after pause: Duration = EtcdTimings.savingPause) {
        if file == nil { return }
        let pause = state.withLock { state -> Duration? in
            defer { state.isUnsaved = true }
            return state.isUnsaved || state.isClosed ? nil : max(pause, state.savingTime * EtcdTimings.savingShare)
        }
        guard let pause else { return }
        fileQueue.asyncAfter(deadline: .now() + pause / .seconds(1)) { [weak self] in self?.save() }
    }

    private func save() {
        let values = state.withLock { state in
            defer { state.isUnsaved = false }
            return state.isUnsaved ? state.contents.values : nil
        }
        guard let file, let values else { return }
        let time = ContinuousClock().measure {
            do throws(SettingsError) {
                try file.write(values)
            } catch {
                feed.report(error)
            }
        }
        state.withLock { $0.savingTime = time }
    }

    // MARK: The state of the connection

    /// Ends the watch, so that the follower asks whether the known state is the cluster's, or reads it, and watches again.
    func leaveWatch(mustRead: Bool = false) {
        state.withLock { state in
            state.isVerified = false
            if mustRead { state.mustRead = true }
            return state.watch
        }?.cancel()
    }

    /// Records that the cluster cannot be reached. Each code is reported once.
    func recordOutage(_ failure: GatewayFailure) {
        let isNew = state.withLock { state in
            state.outage = failure
            return state.reported.insert(failure.code).inserted && !state.isClosed
        }
        if isNew { report(failure.code, failure) }
    }

    /// Records that the watch is established.
    func recordReached() {
        let wasReported = state.withLock { state in
            defer { (state.outage, state.reported) = (nil, []) }
            return !state.reported.isEmpty
        }
        if wasReported { report(.clusterReached) }
    }
}

extension DispatchSemaphore {
    /// Waits for a signal, but not for longer than a duration.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    func wait(for duration: Duration) -> Bool {
        // In seconds: nanoseconds of more than two seconds do not fit into an Int of 32 bits.
        wait(timeout: .now() + max(.zero, min(duration, .seconds(1_000_000))) / .seconds(1)) == .success
    }
}

import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the prefix once, and then follows its changes. Used by one thread.
struct Follower {
    private let cluster: EtcdCluster
    private var backoff = EtcdTimings.followingPauses
    private var isFirstAttempt = true
    /// The last time that the cluster confirmed the known state.
    private var lastConfirmation = ContinuousClock.now
    private var pageEntries = EtcdLimits.pageEntries

    private init(_ cluster: EtcdCluster) { self.cluster = cluster }

    private var client: GatewayClient { cluster.client }
    private var options: EtcdStore.Options { cluster.options }

    static func run(_ cluster: EtcdCluster) {
        var follower = Follower(cluster)
        while !cluster.isClosed {
            do throws(GatewayFailure) {
                try follower.follow()
            } catch {
                follower.handle(error)
            }
        }
        follower.endFirstAttempt()
    }

    private mutating func follow() throws(GatewayFailure) {
        // After a longer absence, the cluster may have been restored from a backup.
        let isLate = lastConfirmation + options.silence + EtcdTimings.absence < .now
        if isLate || cluster.state.withLock({ $0.mustRead }) { try read() } else { try verify() }
        lastConfirmation = .now
        try watch()
    }

    private mutating func endFirstAttempt() {
        if isFirstAttempt { cluster.firstAttempt.signal() }
        isFirstAttempt = false
    }

    private mutating func handle(_ failure: GatewayFailure) {
        switch failure {
        case .cancelled: return
        case .compacted, .earlierState:
            cluster.state.withLock { $0.mustRead = true }
            if failure == .earlierState { cluster.report(.clusterReached, failure) }
            return
        default: break
        }
        let pause = backoff.fail()
        // Between an answer of the former cluster and one of the restored one, no member answers.
        if backoff.failures > 1, failure.code == .clusterUnreachable { cluster.state.withLock { $0.mustRead = true } }
        // A watch breaks occasionally; an outage is a failure that a retry does not repair. A timed-out member is unlikely to
        // recover soon.
        if backoff.failures > 2 || isFirstAttempt || failure == .timedOut || failure.needsPerson {
            cluster.recordOutage(failure)
        }
        endFirstAttempt()
        cluster.followWake.wait(for: pause)
        // Further signals were given for the same reason.
        while cluster.followWake.wait(timeout: .now()) == .success {}
    }

    // MARK: Reading

    /// Reads all keys, in pages at one revision.
    private mutating func read() throws(GatewayFailure) {
        var entries: [ClusterEntry] = []
        var (first, header, size) = (cluster.range.prefix, AnswerHeader(), 0)
        let newest = cluster.state.withLock { state in
            state.mustRead = false
            return state.contents.newestRevision
        }
        var isRead = false
        defer { if !isRead { cluster.state.withLock { $0.mustRead = true } } }
        while true {
            guard let answer = try readPage(from: first, at: header.revision) else { continue }
            if header.revision == 0 { header = answer.header }
            size += answer.entries.reduce(0) { $0 + $1.key.count + $1.value.count }
            guard size <= EtcdLimits.prefix else { throw .tooLong(limit: EtcdLimits.prefix) }
            guard header.revision > 0,
                answer.entries.allSatisfy({ cluster.range.contains($0.key) && $0.modRevision <= header.revision })
            else { throw .notEtcd(status: 200) }
            entries += answer.entries
            guard answer.hasMore, let last = answer.entries.last else { break }
            first = last.key + [0]
        }
        isRead = true
        cluster.state.withLock { state in
            // Another cluster's revisions say nothing about this one's.
            let newest = state.cluster == header.cluster ? newest : .max
            (state.cluster, state.isVerified) = (header.cluster, true)
            cluster.feed.publish(
                state.contents.replace(with: entries, at: header.revision, after: newest), origin: .external)
            state.recordProgress()
        }
        cluster.flushSoon()
        cluster.saveLater(after: .zero)
    }

    /// - Parameter revision: The one to read; 0 for the newest.
    /// - Returns: nil if the page is to be read again, in parts.
    private mutating func readPage(from first: Data, at revision: Int64) throws(GatewayFailure) -> RangeAnswer? {
        let range = GatewayMessage.Range(
            first: first, end: cluster.range.end, limit: pageEntries, revision: revision)
        do throws(GatewayFailure) {
            return try client.ask(.range(range), mayTakeLong: true, within: options.patience, call: cluster.call)
        } catch .tooLong where pageEntries > 1 {
            pageEntries = max(1, pageEntries / 16)
            return nil
        } catch .refused(code: 11, status: _) {
            // The revision of the first page is compacted, so reading starts again.
            throw .compacted
        } catch {
            throw error
        }
    }

    /// Checks whether the cluster is the one that was read, by a read of one key that most members confirm. The watch delivers
    /// later changes.
    private mutating func verify() throws(GatewayFailure) {
        let (known, id) = cluster.state.withLock { ($0.contents.revision, $0.cluster) }
        let answer: RangeAnswer = try client.ask(
            .range(.init(first: cluster.range.prefix)), within: min(options.patience, EtcdTimings.watchPatience),
            call: cluster.call)
        guard answer.header.cluster == id, answer.header.revision >= known else { throw .earlierState }
        cluster.state.withLock { state in
            state.isVerified = true
            state.recordProgress()
        }
    }

    // MARK: Watching

    /// Follows the changes, until the watch breaks or has been silent for the permitted time.
    private mutating func watch() throws(GatewayFailure) {
        let (cluster, call, address) = (cluster, GatewayCall(), client.address)
        let (revision, isLeft) = cluster.state.withLock { state in
            state.watch = call
            return (state.contents.revision, state.isClosed || !state.isVerified || state.mustRead)
        }
        // The store was closed, or a caller has left the watch before it began.
        if isLeft { call.cancel() }
        var fold = WatchFold(limit: EtcdLimits.prefix)
        var lastMessage: ContinuousClock.Instant?
        defer {
            if let lastMessage {
                lastConfirmation = lastMessage
                backoff.succeed()
            }
            cluster.state.withLock { ($0.watch, $0.isVerified) = (nil, false) }
        }
        do throws(GatewayFailure) {
            try client.follow(
                .watch(cluster.range, from: revision + 1), at: address,
                patience: min(options.patience, EtcdTimings.watchPatience),
                // Randomized, so that machines do not ask at the same moment.
                silence: options.silence * Double.random(in: 0.8...1), call: call
            ) { (line) throws(GatewayFailure) in
                let answer = try StreamMessage<WatchAnswer>.read(line)
                if answer.isCancelled {
                    throw answer.compactRevision > 0 ? .compacted : .disconnected("the watch was cancelled")
                }
                if lastMessage == nil, answer.isCreated {
                    cluster.recordReached()
                    endFirstAttempt()
                }
                lastMessage = .now
                for revision in try fold.add(answer) { cluster.apply(revision) }
            }
        } catch {
            switch error {
            // There was no change, or the member hangs: the next step asks.
            case .timedOut where lastMessage != nil: return
            case .compacted: throw error
            // A caller has ended the watch, which was behind.
            case .cancelled where !cluster.isClosed:
                client.leave(address)
                return
            default:
                client.leave(address)
                throw error == .timedOut ? .disconnected("no watch was created") : error
            }
        }
    }
}

extension EtcdCluster {
    /// Applies the events of one revision.
    fileprivate func apply(_ revision: WatchFold.Revision) {
        state.withLock { state in
            // The watch can be faster than the answer to this program's own transaction.
            let isOwn = revision.events.allSatisfy { event in
                guard let name = range.name(in: event.entry.key), let data = state.underWay[name] else { return false }
                return data == (event.kind == .removal ? nil : event.entry.value)
            }
            feed.publish(state.contents.apply(revision), origin: isOwn ? .local : .external)
            state.recordProgress()
        }
        flushSoon()
        saveLater()
    }
}

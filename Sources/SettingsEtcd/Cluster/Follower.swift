import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the prefix once, and then follows its changes. Used by one thread.
struct Follower {
    private let cluster: EtcdCluster
    private var backoff = EtcdTimings.followingPauses
    private var mustRead = true
    /// The identifier of the cluster that was read.
    private var clusterID: UInt64 = 0
    private var isFirstAttempt = true
    /// The last time that the cluster confirmed the known state.
    private var lastConfirmation = ContinuousClock.now
    private var page = PageSize()

    /// The address at which a watch with an open request failed: a proxy may hold back a body that continues.
    private var closedAddress: String?

    /// After this time without a message, the cluster may have been restored from a backup.
    private var longestAbsence: Duration { cluster.options.silence + EtcdTimings.absence }

    private init(_ cluster: EtcdCluster) { self.cluster = cluster }

    private var call: GatewayCall { cluster.call }
    private var client: GatewayClient { cluster.client }
    private var requestTime: Duration { cluster.options.patience }

    static func run(_ cluster: EtcdCluster) {
        var follower = Follower(cluster)
        follower.run()
    }

    private mutating func run() {
        while !cluster.isClosed {
            do throws(GatewayFailure) {
                if mustRead || lastConfirmation + longestAbsence < .now { try read() } else { try verify() }
                lastConfirmation = .now
                try watch()
            } catch {
                handle(error)
            }
        }
        endFirstAttempt()
        cluster.threadDidEnd()
    }

    private mutating func endFirstAttempt() {
        if isFirstAttempt { cluster.firstAttempt.signal() }
        isFirstAttempt = false
    }

    private mutating func handle(_ failure: GatewayFailure) {
        switch failure {
        case .cancelled: return
        case .compacted, .earlierState:
            mustRead = true
            if failure == .earlierState { cluster.report(.clusterReached, failure) }
            return
        default: break
        }
        let pause = backoff.fail()
        // Between an answer of the former cluster and one of the restored one, no member answers.
        if backoff.failures > 1 && !failure.isAnswer { mustRead = true }
        // A watch breaks occasionally; an outage is a failure that a retry does not repair. A timed-out member is unlikely to
        // recover soon.
        if backoff.failures > 2 || isFirstAttempt || failure == .timedOut {
            cluster.recordOutage(failure, of: \.following)
        }
        endFirstAttempt()
        cluster.followWake.waitForSignals(for: pause)
    }

    // MARK: Reading

    /// Reads all keys, in pages at one revision.
    private mutating func read() throws(GatewayFailure) {
        var entries: [ClusterEntry] = []
        var (first, revision, size) = (cluster.range.prefix, Int64(0), 0)
        var header = AnswerHeader()
        let newest = cluster.beginReading()
        while true {
            let answer: RangeAnswer
            let asked = ContinuousClock.now
            do throws(GatewayFailure) {
                answer = try client.ask(
                    .range(.init(first: first, end: cluster.range.end, limit: page.entries, revision: revision)),
                    mayTakeLong: true, within: requestTime, call: call)
                page.adapt(to: asked.duration(to: .now), limit: requestTime)
            } catch .tooLong(let limit) {
                if page.shrinkAfterLimit() { continue }
                throw .tooLong(limit: limit)
            } catch .timedOut {
                // Pages that were read are not read again.
                if page.shrinkAfterTimeOut() && !entries.isEmpty { continue }
                throw .timedOut
            } catch .refused(code: 11, status: _) {
                // The revision of the first page is compacted, so reading starts again.
                throw .compacted
            }
            if revision == 0 {
                (header, revision) = (answer.header, answer.header.revision)
                cluster.recordAnswer(of: header.cluster)
            }
            size += answer.entries.reduce(0) { $0 + $1.key.count + $1.value.count }
            guard size <= EtcdLimits.prefix else { throw .tooLong(limit: EtcdLimits.prefix) }
            guard revision > 0,
                answer.entries.allSatisfy({ cluster.range.contains($0.key) && $0.modRevision <= revision })
            else { throw .notEtcd(status: 200) }
            entries += answer.entries
            guard answer.hasMore, let last = answer.entries.last else { break }
            first = last.key + [0]
        }
        clusterID = header.cluster
        mustRead = false
        cluster.apply(entries, at: revision, after: newest, of: header.cluster)
    }

    /// Checks whether the cluster is the one that was read. The watch delivers later changes.
    private mutating func verify() throws(GatewayFailure) {
        let known = cluster.state.withLock { $0.contents.revision }
        let answer = try cluster.changes(after: known, within: requestTime)
        guard answer.header.cluster == clusterID, answer.header.revision >= known else { throw .earlierState }
        cluster.recordVerification()
    }

    // MARK: Watching

    private mutating func watch() throws(GatewayFailure) {
        let revision = cluster.state.withLock { $0.contents.revision }
        let message = GatewayMessage.watch(
            first: cluster.range.prefix, end: cluster.range.end, from: revision + 1)
        let (cluster, call) = (cluster, cluster.beginWatching())
        var progress = WatchProgress(sizeLimit: EtcdLimits.prefix)
        let address = client.address
        let isAsking = client.canAsk && address != closedAddress
        defer {
            if let lastMessage = progress.lastMessage {
                lastConfirmation = lastMessage
                backoff.succeed()
            }
            cluster.endWatching()
        }
        do throws(GatewayFailure) {
            try client.follow(
                message, at: address, patience: min(cluster.options.patience, EtcdTimings.watchPatience),
                // Randomized, so that machines do not ask at the same moment.
                silence: cluster.options.silence * Double.random(in: 0.8...1), asks: isAsking, call: call
            ) { (line) throws(GatewayFailure) in
                let answer = try StreamMessage.read(line, WatchAnswer.init)
                if progress.lastMessage == nil, answer.isCreated {
                    cluster.recordReached()
                    endFirstAttempt()
                }
                for revision in try progress.apply(answer, newest: cluster.recordMessage()) { cluster.apply(revision) }
            }
        } catch {
            let isCreated = progress.lastMessage != nil
            if isAsking, !isCreated, error.isOfAnswer {
                closedAddress = address
            } else if error != .compacted, error != .timedOut || isAsking || !isCreated {
                client.leave(address)
            }
            switch error {
            // A member that does not answer the question hangs: another one is watched. A member that was not asked may have
            // nothing to report; the next step asks whether a change was missed.
            case .timedOut where isCreated: return
            case .timedOut: throw .disconnected("no watch was created")
            // The watch was behind.
            case .cancelled where !cluster.isClosed: return
            default: throw error
            }
        }
    }
}

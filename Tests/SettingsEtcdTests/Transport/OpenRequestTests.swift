import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("What is added to the request of a watch")
struct BodyAdditionsTests {
    private let start = ContinuousClock.now

    @Test("Before the answer begins, spaces are added, first at short intervals")
    func spaces() {
        var additions = BodyAdditions(start, silence: .seconds(6))
        var moments: [Duration] = []
        var now = start
        while now < start + .seconds(2), let next = additions.next {
            #expect(next > now)
            now = next
            #expect(additions.removeNext(at: now - .nanoseconds(1)) == nil)
            #expect(additions.removeNext(at: now)?.description == BodyAdditions.space.description)
            moments.append(start.duration(to: now))
        }
        #expect(moments.prefix(4) == [.milliseconds(1), .milliseconds(3), .milliseconds(7), .milliseconds(15)])
        #expect(moments.count < 20)
    }

    @Test("After half of the silence one question is added, and the next one only after an answer")
    func questions() {
        var additions = BodyAdditions(start, silence: .seconds(6))
        additions.recordBytes(at: start + .seconds(1))
        #expect(additions.removeNext(at: start + .milliseconds(3_999)) == nil)
        #expect(additions.removeNext(at: start + .seconds(4))?.description == BodyAdditions.question.description)
        #expect(additions.next == nil && additions.removeNext(at: start + .seconds(100)) == nil)
        additions.recordBytes(at: start + .seconds(5))
        #expect(additions.next == start + .seconds(8))
    }
}

@Suite("What a watch has told")
struct WatchProgressTests {
    private let now = ContinuousClock.now

    private func answer(_ revision: Int64, _ change: (inout WatchAnswer) -> Void = { _ in }) -> WatchAnswer {
        var answer = WatchAnswer()
        answer.header.revision = revision
        change(&answer)
        return answer
    }

    private func failure(_ body: () throws(GatewayFailure) -> Void) -> GatewayFailure? {
        do throws(GatewayFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("It begins with its creation, and each message counts")
    func lastMessage() throws {
        var progress = WatchProgress(sizeLimit: 1_000)
        _ = try progress.apply(answer(5), newest: 0, at: now)
        #expect(progress.lastMessage == nil)
        _ = try progress.apply(answer(5) { $0.isCreated = true }, newest: 5, at: now)
        #expect(progress.lastMessage == now)
        let event = WatchAnswer.Event(entry: ClusterEntry(key: Data("a".utf8), modRevision: 6))
        let revisions = try progress.apply(answer(6) { $0.events = [event] }, newest: 5, at: now + .seconds(1))
        #expect(revisions == [.init(number: 6, events: [event])] && progress.lastMessage == now + .seconds(1))
    }

    @Test("A member that is behind at two questions is left; one that catches up is not")
    func behind() throws {
        var progress = WatchProgress(sizeLimit: 1_000)
        _ = try progress.apply(answer(5) { $0.isCreated = true }, newest: 9, at: now)
        _ = try progress.apply(answer(9), newest: 9, at: now)
        _ = try progress.apply(answer(9), newest: 10, at: now)
        #expect(failure { () throws(GatewayFailure) in _ = try progress.apply(answer(9), newest: 10, at: now) } != nil)
    }

    @Test("A watch that is cancelled has ended", arguments: [0, 7])
    func cancelled(compacted: Int64) {
        var progress = WatchProgress(sizeLimit: 1_000)
        let end = answer(9) { ($0.isCancelled, $0.compactRevision) = (true, compacted) }
        let failure = failure { () throws(GatewayFailure) in _ = try progress.apply(end, newest: 0, at: now) }
        #expect(compacted > 0 ? failure == .compacted : failure == .disconnected("the watch was cancelled"))
    }
}

#if !canImport(Darwin)
    extension WithSlowEtcd {
        @Suite("A watch whose request goes on", .timeLimit(Rounds.timeLimit))
        struct OpenRequestTests {
            @Test("A member answers the questions in the stream, and the changes between them arrive")
            func questions() async throws {
                try await Fleet.with { fleet in
                    let message = GatewayMessage.watch(first: Data("a".utf8), end: Data("b".utf8), from: 1)
                    var request = GatewayRequest(
                        url: fleet.server.endpoint + message.path, headers: [], body: message.body,
                        patience: .seconds(60), silence: .seconds(2))
                    request.isOpen = true
                    let transport = try CurlTransport(security: nil)
                    var lines = LineSplitter(limit: 1 << 20)
                    var (answers, events) = (0, 0)
                    let failure = #expect(throws: GatewayFailure.self) {
                        _ = try transport.send(request, call: GatewayCall()) { (bytes) throws(GatewayFailure) in
                            try lines.add(bytes) { (line) throws(GatewayFailure) in
                                let answer = try StreamMessage.read(line, WatchAnswer.init)
                                events += answer.events.count
                                if !answer.isCreated && answer.events.isEmpty { answers += 1 }
                                if answers == 1 && events == 0 { Self.put(fleet) }
                                if answers >= 3 && events == 1 { throw .cancelled }
                            }
                        }
                    }
                    #expect(failure == .cancelled && answers >= 3 && events == 1)
                }
            }

            private static func put(_ fleet: Fleet) {
                do {
                    try fleet.server.control("put", "a", "1")
                } catch {
                    Issue.record(error)
                }
            }

            @Test("Where only complete requests pass, changes arrive all the same")
            func bufferingProxy() async throws {
                try await Fleet.withProxy({ $0.silence = .seconds(1) }) { fleet, proxy, _ in
                    proxy.setFaults(.init(holdsOpenRequests: true))
                    let store = try fleet.store(endpoints: [proxy.endpoint], state: "other") {
                        ($0.silence, $0.openingPatience) = (.seconds(1), .seconds(30))
                    }
                    for number in 0..<3 {
                        try fleet.server.control("put", "test/a", "\(number)")
                        try await until { store.text("a") == "\(number)" }
                    }
                    #expect(store.isConnected)
                }
            }
        }
    }
#endif

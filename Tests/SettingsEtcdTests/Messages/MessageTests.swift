import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Messages of the gateway", .ownThreads)
struct MessageTests {
    private func read<Answer: Decodable>(_ text: String, as type: Answer.Type = Answer.self) throws -> Answer {
        try readAnswer(Array(text.utf8))
    }

    @Test("A watch's events are puts unless they say otherwise, and an error in its place is thrown")
    func watches() throws {
        let line =
            #"{"result":{"header":{"revision":"8"},"fragment":true,"events":[{"kv":{"key":"YS94","mod_revision":"8","value":"Mg=="}},{"type":"DELETE","kv":{"key":"YS95","mod_revision":"8"}}]}}"#
        let answer = try StreamMessage<WatchAnswer>.read(Array(line.utf8))
        #expect(answer.isFragment && answer.events.map(\.kind) == [.put, .removal])
        #expect(throws: GatewayFailure.refused(code: 14, status: 200)) {
            try StreamMessage<WatchAnswer>.read(
                Array(#"{"error":{"grpc_code":14,"http_code":503,"message":"no leader","http_status":"x"}}"#.utf8))
        }
        let cancelled = #"{"result":{"header":{},"canceled":true,"compact_revision":"12"}}"#
        #expect(try StreamMessage<WatchAnswer>.read(Array(cancelled.utf8)).compactRevision == 12)
    }

    @Test("The gateway's errors are read in both of their forms")
    func errors() {
        let (token, lost) = (
            #""code":3,"message":"etcdserver: revision of auth store is old""#, #"{"error":"x","message"#
        )
        for (text, failure) in [
            (lost + #"":"y","code":16}"#, .refused(code: 16, status: 500)),
            ("{\(token)}", .refused(code: 16, status: 500)),
            (#"{"error":{\#(token)}}"#, .refused(code: 16, status: 500)),
            (#"{"message":"etcdserver: user name is empty","code":3}"#, .refused(code: 16, status: 500)),
            (lost + #"":"etcdserver: no leader","code":14}"#, .noLeader),
            (lost + #"":"etcdserver: mvcc: database space exceeded","code":8}"#, .noSpace),
            (lost + #"":"etcdserver: too many requests","code":8}"#, .refused(code: 8, status: 500)),
            ("<html>secret</html>", .notEtcd(status: 500)),
        ] as [(String, GatewayFailure)] {
            #expect(ErrorAnswer.failure(Array(text.utf8), status: 500) == failure, "\(text)")
        }
    }

    @Test(
        "What is no message is refused",
        arguments: [
            "", "[]", #"{"header":{"revision":"9223372036854775808"}}"#, #"{"header":{"revision":"-1"}}"#,
            #"{"header":{"revision":1.5}}"#, #"{"kvs":[{"key":"*"}]}"#, #"{"more":1}"#, #"{"header":{}}{"#,
        ])
    func refused(text: String) {
        #expect(throws: GatewayFailure.notEtcd(status: 200)) { try read(text, as: RangeAnswer.self) }
    }

    @Test("Damaged messages never crash")
    func damaged() {
        var generator = SeededGenerator(seed: 7)
        let message = Array(
            #"{"result":{"header":{"cluster_id":"1","revision":"8"},"created":true,"events":[{"type":"DELETE","kv":{"key":"YS94","mod_revision":"8","value":"Mg=="}}]},"error":{"code":3}}"#
                .utf8)
        for _ in 0..<Rounds.choose(200, full: 2_000) {
            var bytes = message
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[..<min(index, 9)], at: index)
                }
            }
            _ = try? StreamMessage<WatchAnswer>.read(bytes)
            _ = try? readAnswer(bytes, as: RangeAnswer.self)
            _ = try? readAnswer(bytes, as: TransactionAnswer.self)
        }
    }

    @Test("Lines are the same whatever the pieces, and are bounded", arguments: [1, 7, 100])
    func lines(size: Int) throws {
        let bytes = Array("first\n\nsecond line\nthird\nrest".utf8)
        var splitter = LineSplitter(limit: 20)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBufferPointer { piece in
                try splitter.add(piece) { line in lines.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        #expect(lines == ["first", "second line", "third"])
        #expect(throws: GatewayFailure.tooLong(limit: 20)) {
            try [UInt8](repeating: 65, count: 30).withUnsafeBufferPointer { try splitter.add($0) { _ in } }
        }
    }

    @Test("Fragments are joined, and events are grouped by their revision")
    func folding() throws {
        func event(_ key: String, _ revision: Int64) -> WatchAnswer.Event {
            .init(entry: ClusterEntry(key: Data(key.utf8), value: Data(), modRevision: revision))
        }
        func answer(_ events: [WatchAnswer.Event], isFragment: Bool = false) -> WatchAnswer {
            WatchAnswer(isFragment: isFragment, events: events)
        }
        var fold = WatchFold(limit: 1000)
        // The next fragment may continue the last revision.
        let first = try fold.add(answer([event("a", 3), event("b", 4)], isFragment: true))
        #expect(first.map(\.number) == [3])
        #expect(try fold.add(answer([event("c", 4)], isFragment: true)).isEmpty)
        let revisions = try fold.add(answer([event("d", 6)]))
        #expect(revisions.map(\.number) == [4, 6] && revisions.map(\.events.count) == [2, 1])
        // What is complete is not kept.
        for number in Int64(10)..<200 {
            #expect(try fold.add(answer([event("a", number)], isFragment: true)).count == (number == 10 ? 0 : 1))
        }
        #expect(try fold.add(answer([event("a", 200)])).count == 2)
        #expect(throws: GatewayFailure.self) { try fold.add(answer([event("a", 208), event("b", 207)])) }
        #expect(throws: GatewayFailure.tooLong(limit: 1000)) {
            for _ in 0..<20 { _ = try fold.add(answer([event("a", 209)], isFragment: true)) }
        }
    }

    /// Failures, and whether the request has certainly changed nothing.
    private static let failures: [(GatewayFailure, Bool)] =
        [
            (.notConnected("x"), true), (.notSecure("x", isSent: false), true), (.loginRefused, true),
            (.noLeader, true), (.noSpace, true), (.notSecure("x", isSent: true), false), (.disconnected("x"), false),
            (.timedOut, false), (.notEtcd(status: 404), false), (.tooLong(limit: 1), false), (.cancelled, false),
        ]
        // Of the errors that etcd reports, those of a request that it may have begun are not certain.
        + (-1...17).map { (.refused(code: $0, status: 500), [3, 5, 7, 8, 9, 11, 12, 16].contains($0)) }

    @Test("A failure says whether the request may have been carried out")
    func certainty() {
        for (failure, isCertain) in Self.failures { #expect(failure.isCertain == isCertain, "\(failure)") }
    }

    @Test("Credentials are in no description")
    func credentials() {
        let credentials = EtcdStore.Credentials(user: "ann", password: "secret")
        let identity = EtcdStore.Security.Identity(certificate: "a.pem", key: "b.pem", password: "secret")
        let security = EtcdStore.Security(authority: "c.pem", identity: identity)
        var texts = ["\(credentials)", "\(identity)", String(reflecting: credentials), String(reflecting: security)]
        for value in [credentials, security] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
        }
        for text in texts { #expect(!text.contains("secret") && !text.contains("ann")) }
        #expect("\(security)".contains("a.pem"))
    }

    @Test(
        "Endpoints with a user, a path or a query are refused without being shown",
        arguments: [
            "http://ann:secret@host", "ftp://host", "http://host/path", "http://host?secret", "", "http://h\r\nx",
        ])
    func endpoints(text: String) {
        let error = #expect(throws: SettingsError.self) { try Endpoints([text]) }
        #expect(error?.code == .unusableEndpoint && error.map { !"\($0)".contains("secret") } == true)
        #expect(thrownCode { try Endpoints([]) } == .unusableEndpoint)
    }

    @Test("An endpoint that fails makes way for the next, a scheme is added, and clients begin with each of them")
    func nextEndpoint() throws {
        var endpoints = try Endpoints(["one:2379", "https://two:2379/", "[::1]:2379"])
        let first = "http://one:2379"
        #expect(endpoints.address == first)
        for _ in 0..<2 {
            endpoints.leave(first)
            #expect(endpoints.address == "https://two:2379")
        }
        for _ in 0..<2 { endpoints.leave(endpoints.address) }
        #expect(endpoints.address == first)
        let starts = (0..<200).map { _ in
            endpoints.shuffle()
            return endpoints.address
        }
        #expect(Set(starts).count == 3)
    }
}

import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Messages of the gateway", .ownThreads)
struct MessageTests {
    private func text(_ message: GatewayMessage) -> String { String(decoding: message.body, as: UTF8.self) }

    private func read<Answer: Decodable>(_ text: String, as type: Answer.Type = Answer.self) throws -> Answer {
        try readAnswer(Array(text.utf8))
    }

    @Test("Requests have 64-bit integers as strings and bytes as base64")
    func requests() {
        let range = KeyRange(prefix: "a/")
        #expect(
            text(.range(.init(first: range.prefix, end: range.end, limit: 5, revision: 1 << 60, minModRevision: 3)))
                == #"{"key":"YS8=","range_end":"YTA=","limit":"5","revision":"1152921504606846976","min_mod_revision":"3"}"#
        )
        #expect(
            text(
                .transaction(
                    [.modRevision(key: Data("k".utf8), 0)], [.init(key: Data("k".utf8), value: Data(), lease: 7)])
            )
                == #"{"compare":[{"key":"aw==","target":"MOD","result":"EQUAL","mod_revision":"0"}],"#
                + #""success":[{"request_put":{"key":"aw==","value":"","lease":"7"}}],"failure":[{"request_range":{"key":"aw=="}}]}"#
        )
        #expect(
            text(.transaction([.value(key: Data("k".utf8), Data("1".utf8))], []))
                == #"{"compare":[{"key":"aw==","target":"VALUE","result":"EQUAL","value":"MQ=="}],"success":[],"#
                + #""failure":[{"request_range":{"key":"aw=="}}]}"#)
        #expect(
            text(.transaction([], [.init(key: Data("k".utf8), value: nil)]))
                == #"{"compare":[],"success":[{"request_delete_range":{"key":"aw=="}}],"failure":[]}"#)
        #expect(text(.watch(first: range.prefix, end: range.end, from: 9)).contains(#""fragment":true"#))
        #expect(text(.authenticate(user: "a\"b", password: "\n")) == #"{"name":"a\"b","password":"\n"}"#)
        #expect(text(.grantLease(seconds: 9)) == #"{"TTL":"9"}"#)
    }

    @Test("A read's answer may lack members, have unknown ones, and white space")
    func ranges() throws {
        let full = try read(
            #"{"header":{"cluster_id":"14841639068965178418","revision":"9","raft_term":"2"},"kvs":[{"key":"YS94","create_revision":"2","mod_revision":"7","version":"3","value":"MQ=="}],"count":"1","more":true}"#,
            as: RangeAnswer.self)
        #expect(full.header.cluster == "14841639068965178418" && full.header.revision == 9)
        #expect(full.entries == [ClusterEntry(key: Data("a/x".utf8), value: Data("1".utf8), modRevision: 7)])
        #expect(full.count == 1 && full.hasMore)
        let bare = try read(
            #" { "header" : { "revision" : "4" } , "new":[{"x":[1,{}]}], "kvs": null }  "#, as: RangeAnswer.self)
        #expect(bare.header.revision == 4 && bare.entries.isEmpty && bare.count == 0 && !bare.hasMore)
    }

    @Test("A transaction without the member succeeded has failed, and carries what was read")
    func transactions() throws {
        let failed = try read(
            #"{"header":{"revision":"5"},"responses":[{"response_range":{"header":{"revision":"5"},"kvs":[{"key":"aw==","mod_revision":"5"}],"count":"1"}},{"response_range":{}}]}"#,
            as: TransactionAnswer.self)
        #expect(!failed.hasSucceeded && failed.reads.count == 2 && failed.reads[0].entries[0].modRevision == 5)
        #expect(failed.reads[1].entries.isEmpty)
        #expect(
            try read(
                #"{"header":{"revision":"6"},"succeeded":true,"responses":[{"response_put":{}}]}"#,
                as: TransactionAnswer.self
            ).hasSucceeded)
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
        #expect(ErrorAnswer.failure(Array(#"{"error":"x","message":"y","code":16}"#.utf8), status: 401).asksForToken)
        let oldToken = #""code":3,"message":"etcdserver: revision of auth store is old""#
        let noUser = #"{"message":"etcdserver: user name is empty","code":3}"#
        for text in ["{\(oldToken)}", #"{"error":{\#(oldToken)}}"#, noUser] {
            #expect(ErrorAnswer.failure(Array(text.utf8), status: 400).asksForToken, "\(text)")
        }
        let noLeader = #"{"error":"x","message":"etcdserver: no leader","code":14}"#
        #expect(ErrorAnswer.failure(Array(noLeader.utf8), status: 503) == .noLeader)
        let noSpace = #"{"error":"x","message":"etcdserver: mvcc: database space exceeded","code":8}"#
        #expect(ErrorAnswer.failure(Array(noSpace.utf8), status: 429) == .noSpace)
        let busy = #"{"error":"x","message":"etcdserver: too many requests","code":8}"#
        #expect(ErrorAnswer.failure(Array(busy.utf8), status: 429) == .refused(code: 8, status: 429))
        #expect(ErrorAnswer.failure(Array("<html>secret</html>".utf8), status: 404) == .notEtcd(status: 404))
    }

    @Test(
        "What is no message is refused",
        arguments: [
            "", "{", "[]", "1", #"{"header":{"revision":"9223372036854775808"}}"#, #"{"header":{"revision":"-1"}}"#,
            #"{"header":{"revision":1.5}}"#, #"{"kvs":[{"key":"*"}]}"#, #"{"kvs":{}}"#, #"{"more":1}"#,
            #"{"count":"x"}"#,
            #"{"header":{}}{"#, #"{"kvs":[{"key":"\ud800"}]}"#,
        ])
    func refused(text: String) {
        #expect(throws: GatewayFailure.notEtcd(status: 200)) { try read(text, as: RangeAnswer.self) }
    }

    @Test("Deep nesting is refused in bounded time")
    func deep() {
        let deep = #"{"x":"# + String(repeating: "[", count: 100_000)
        #expect(throws: GatewayFailure.self) { try read(deep, as: RangeAnswer.self) }
        #expect(throws: GatewayFailure.self) {
            try read(String(repeating: #"{"header":"#, count: 100_000), as: RangeAnswer.self)
        }
    }

    @Test("Damaged messages never crash", arguments: Rounds.seeds(0..<2_000, part: 200))
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array(
            #"{"result":{"header":{"cluster_id":"1","revision":"8"},"created":true,"events":[{"type":"DELETE","kv":{"key":"YS94","mod_revision":"8","value":"Mg=="}}]},"error":{"code":3}}"#
                .utf8)
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

    @Test("Lines are the same whatever the pieces, and are bounded", arguments: [1, 2, 3, 7, 100])
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
            .init(.put, ClusterEntry(key: Data(key.utf8), value: Data(), modRevision: revision))
        }
        func answer(_ events: [WatchAnswer.Event], isFragment: Bool = false) throws -> WatchAnswer {
            var answer = try read(#"{"fragment":\#(isFragment)}"#, as: WatchAnswer.self)
            answer.events = events
            return answer
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

    @Test("No failure shows what a server or a person has sent")
    func failures() throws {
        let failures: [GatewayFailure] = [
            .notConnected("x"), .disconnected("x"), .timedOut, .cancelled, .refused(code: 7, status: 403),
            .notSecure("x", isSent: true), .loginRefused, .noSpace, .refused(code: .max, status: 0),
            .refused(code: -1, status: 0), .notEtcd(status: 500), .tooLong(limit: 3),
            .compacted, .earlierState,
        ]
        for failure in failures { #expect(!failure.description.isEmpty) }
        #expect(GatewayFailure.refused(code: 7, status: 403).description.contains("permission denied"))
        let credentials = EtcdStore.Credentials(user: "ann", password: "secret")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("secret") && !text.contains("ann"))
        }
    }

    @Test("Of the errors that etcd reports, those of a request that it may have begun are not certain")
    func certainty() {
        let codes = (-1...17).filter { GatewayFailure.refused(code: $0, status: 500).isCertain }
        #expect(codes == [3, 5, 7, 8, 9, 11, 12, 16])
        for failure in [.notConnected("x"), .notSecure("x", isSent: false), .loginRefused, .noLeader]
            as [GatewayFailure]
        {
            #expect(failure.isCertain)
        }
        for failure in [
            .noSpace, .notSecure("x", isSent: true), .disconnected("x"), .timedOut, .notEtcd(status: 404),
            .tooLong(limit: 1),
        ] as [GatewayFailure] {
            #expect(!failure.isCertain)
        }
    }

    @Test(
        "Endpoints with a user, a path or a query are refused without being shown",
        arguments: [
            "http://ann:secret@host", "ftp://host", "http://host/path", "http://host?secret", "", "http://", "a b",
            "http://h\r\nx",
        ])
    func endpoints(text: String) {
        let error = #expect(throws: SettingsError.self) { try Endpoints([text]) }
        #expect(error?.code == .unusableEndpoint && error.map { !"\($0)".contains("secret") } == true)
        #expect(thrownCode { try Endpoints([]) } == .unusableEndpoint)
    }

    @Test("An endpoint that fails makes way for the next, and a scheme is added")
    func nextEndpoint() throws {
        var endpoints = try Endpoints(["one:2379", "https://two:2379/", "[::1]:2379"])
        #expect(endpoints.address() == "http://one:2379")
        endpoints.leave("http://one:2379")
        #expect(endpoints.address() == "https://two:2379")
        endpoints.leave("http://one:2379")
        #expect(endpoints.address() == "https://two:2379")
        endpoints.leave(endpoints.address())
        endpoints.leave(endpoints.address())
        #expect(endpoints.address() == "http://one:2379")
    }
}

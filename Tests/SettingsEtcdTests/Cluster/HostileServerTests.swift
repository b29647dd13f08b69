import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Hostile and wrong servers", .ownThreads, .timeLimit(.minutes(5)))
struct HostileServerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: String
        var repeated: String?
    }

    private static func answer(_ body: String, status: String = "200 OK", length: Int? = nil) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let cases = [
        Case(testDescription: "another program", answer: "SSH-2.0-OpenSSH_9.2 secret\r\n"),
        Case(testDescription: "nothing", answer: ""),
        Case(testDescription: "a web page", answer: answer("<html>secret</html>")),
        Case(testDescription: "not found", answer: answer("secret", status: "404 Not Found")),
        Case(
            testDescription: "a redirection",
            answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/secret\r\nContent-Length: 0\r\n\r\n"),
        Case(testDescription: "broken JSON", answer: answer(#"{"header":{"revision":"secret"#)),
        Case(testDescription: "a huge number", answer: answer(#"{"header":{"revision":"999999999999999999999"}}"#)),
        Case(
            testDescription: "a revision without a next one",
            answer: answer(#"{"header":{"cluster_id":"1","revision":"9223372036854775807"}}"#)),
        Case(testDescription: "a revision of zero", answer: answer("{}")),
        Case(
            testDescription: "keys of other prefixes",
            answer: answer(
                #"{"header":{"revision":"5"},"kvs":[{"key":"b3RoZXIvYQ==","value":"c2VjcmV0","mod_revision":"1"}],"count":"1"}"#
            )),
        Case(testDescription: "a length that is not kept", answer: answer("{", length: 1 << 40)),
        Case(
            testDescription: "an error with a text",
            answer: answer(#"{"error":"secret","code":13,"message":"secret"}"#, status: "500 x")),
        Case(testDescription: "an endless answer", answer: answer(#"{"x":""#, length: 1 << 40), repeated: "secret"),
        Case(testDescription: "endless chunks", answer: chunked, repeated: "6\r\nsecret\r\n"),
        Case(testDescription: "endless headers", answer: "HTTP/1.1 200 OK\r\n", repeated: "X-Header: secret\r\n"),
        Case(testDescription: "silence", answer: "", repeated: ""),
        Case(testDescription: "silence after the header", answer: chunked, repeated: ""),
        Case(testDescription: "deep nesting", answer: answer(#"{"x":"# + String(repeating: "[", count: 200_000))),
    ]

    @Test(
        "A store on it opens without values, reports the cause without the server's text, and ends in time",
        arguments: HostileServerTests.cases)
    func server(of test: Case) async throws {
        try await withTemporaryDirectory { directory in
            let server = try HostileServer(test.answer, repeating: test.repeated)
            defer { server.close() }
            var options = EtcdStore.Options()
            options.patience = .seconds(1)
            options.openingPatience = .milliseconds(500)
            let start = Date()
            let store = try EtcdStore(
                endpoints: [server.endpoint], prefix: "test/", state: URL(fileURLWithPath: directory), options: options)
            let problems = Recorder<SettingsError>()
            let settings = SettingsService.fleet(store, problems)
            let count = Setting<Int>("count", in: .fleet, default: 3)
            #expect(settings.get(count) == 3)
            let error = #expect(throws: SettingsError.self) { try settings.save(count, to: 4) }
            #expect([.clusterUnreachable, .outcomeUnknown].contains(error?.code))
            #expect(throws: SettingsError.self) { try store.synchronize() }
            #expect(store.keys().isEmpty)
            try await until { problems.codes.contains(.clusterUnreachable) }
            for problem in problems.all { #expect(!"\(problem)".contains("secret")) }
            #expect(error.map { !"\($0)".contains("secret") } == true)
            store.close()
            #expect(Date().timeIntervalSince(start) < 20)
        }
    }

    @Test("A stream whose lines do not end, or whose fragments do not, is bounded")
    func boundedStream() throws {
        var splitter = LineSplitter(limit: 1 << 20)
        let block = [UInt8](repeating: 65, count: 1 << 16)
        #expect(throws: GatewayFailure.tooLong(limit: 1 << 20)) {
            while true { try block.withUnsafeBufferPointer { try splitter.add($0) { _ in } } }
        }
    }

    @Test("A store without a usable prefix, or address is refused in words")
    func arguments() throws {
        try withTemporaryDirectory { directory in
            let folder = URL(fileURLWithPath: directory)
            for prefix in ["", "settingskit", "settingskit.", "settingskit.clients/", "a\u{0}"] {
                #expect(
                    thrownCode { try EtcdStore(endpoints: ["http://127.0.0.1:1"], prefix: prefix, state: folder) }
                        == .unusableEndpoint, "\(prefix)")
            }
            #expect(
                thrownCode { try EtcdStore(endpoints: ["http://u:secret@127.0.0.1"], prefix: "a/", state: folder) }
                    == .unusableEndpoint)
        }
    }
}

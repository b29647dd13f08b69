import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Hostile and wrong servers", .ownThreads, .timeLimit(.minutes(5)))
struct HostileServerTests {
    private static func answer(_ body: String, status: String = "200 OK", length: Int? = nil) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// The answer to each request, and what follows it without end; nil to close the connection.
    static let cases: [(String, answer: String, then: String?)] = [
        ("another program", "SSH-2.0-OpenSSH_9.2 secret\r\n", nil), ("nothing", "", nil),
        ("a web page", answer("<html>secret</html>"), nil),
        ("not found", answer("secret", status: "404 Not Found"), nil),
        (
            "a redirection", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/secret\r\nContent-Length: 0\r\n\r\n",
            nil
        ),
        ("no next revision", answer(#"{"header":{"cluster_id":"1","revision":"9223372036854775807"}}"#), nil),
        ("a revision of zero", answer("{}"), nil),
        (
            "keys of other prefixes",
            answer(#"{"header":{"revision":"5"},"kvs":[{"key":"b3RoZXIvYQ==","mod_revision":"1"}],"count":"1"}"#), nil
        ),
        ("a length that is not kept", answer("{", length: 1 << 40), nil),
        ("an error with a text", answer(#"{"error":"secret","code":13,"message":"secret"}"#, status: "500 x"), nil),
        ("an endless answer", answer(#"{"x":""#, length: 1 << 40), "secret"),
        ("endless chunks", chunked, "6\r\nsecret\r\n"),
        ("endless headers", "HTTP/1.1 200 OK\r\n", "X-Header: secret\r\n"),
        ("silence", "", ""),
        ("silence after the header", chunked, ""),
        ("deep nesting", answer(#"{"x":"# + String(repeating: "[", count: 200_000)), nil),
    ]

    @Test(
        "A store on it opens without values, reports the cause without the server's text, and ends in time",
        arguments: HostileServerTests.cases)
    func server(name: String, answer: String, then: String?) async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedServer(then.map { .endless(answer, then: $0) } ?? .bytes(answer))
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
            for problem in problems.all + [error].compactMap(\.self) { #expect(!"\(problem)".contains("secret")) }
            store.close()
            #expect(Date().timeIntervalSince(start) < 20)
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

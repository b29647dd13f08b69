import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("Requests over HTTP", .ownThreads, .timeLimit(Rounds.timeLimit))
struct TransportTests {
    private let transport: any GatewayTransport

    init() throws {
        #if canImport(Darwin)
            transport = try URLSessionTransport(security: nil)
        #else
            transport = try CurlTransport(security: nil)
        #endif
    }

    /// Sends a request, and returns the answer's body.
    private func send(_ body: String = "{}", to endpoint: String) throws(GatewayFailure) -> String {
        let request = GatewayRequest(
            url: endpoint + "/v3/kv/txn", headers: [], body: Array(body.utf8), patience: .seconds(30))
        var answer: [UInt8] = []
        _ = try transport.send(request, call: GatewayCall()) { (bytes) throws(GatewayFailure) in
            answer.append(contentsOf: bytes)
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private func failure(_ endpoint: String) -> GatewayFailure? {
        do throws(GatewayFailure) {
            _ = try send(to: endpoint)
            return nil
        } catch {
            return error
        }
    }

    @Test("Requests over a kept connection arrive whole, each once, whatever their size")
    func kept() throws {
        let server = try ScriptedServer(.answer("yes"))
        defer { server.close() }
        for size in [2, 1_500_000] {
            let body = String(repeating: "x", count: size)
            #expect(try send(body, to: server.endpoint) == "yes")
            #expect(server.requests.all.last?.suffix(size).elementsEqual(body.utf8) == true)
        }
        #expect(server.requests.count == 2 && server.closed.count == 0)
    }

    @Test(
        "A request whose connection ends before the answer may have been carried out",
        arguments: [ScriptedServer.Step.close, .die, .bytes("SSH-2.0-OpenSSH_9.2\r\n"), .bytes("HTTP/1.1 200")])
    func lost(step: ScriptedServer.Step) throws {
        for isKept in [false, true] {
            // A system's library may send a request again when a kept connection ends, once.
            let server = try isKept ? ScriptedServer(.answer("yes"), step, step) : ScriptedServer(step)
            defer { server.close() }
            if isKept { #expect(try send(to: server.endpoint) == "yes") }
            let failure = failure(server.endpoint)
            #expect(failure?.isCertain == false, "kept: \(isKept)")
            #expect(isKept ? (2...3).contains(server.requests.count) : server.requests.count == 1)
        }
    }

    @Test("A request that finds no server was certainly not carried out")
    func refused() throws {
        let server = try ScriptedServer(.answer("yes"))
        server.close()
        #expect(failure(server.endpoint)?.isCertain == true)
        #expect(failure("http://name.invalid:1")?.isCertain == true)
    }

    @Test("A kept connection that was closed meanwhile is replaced, and without a server the failure is certain")
    func closedMeanwhile() async throws {
        let server = try ScriptedServer(.answerAndClose("yes"))
        defer { server.close() }
        for number in 1...2 {
            #expect(try send(to: server.endpoint) == "yes")
            try await until { server.closed.count == number }
        }
        #expect(server.requests.count == 2)
        server.close()
        #expect(failure(server.endpoint)?.isCertain == true)
    }
}

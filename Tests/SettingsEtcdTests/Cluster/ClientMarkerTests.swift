import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("A client's key", .ownThreads)
struct ClientMarkerTests {
    /// A cluster that carries out each transaction, also those after which it reports a failure.
    private final class ForgetfulCluster: GatewayTransport {
        private let state = Mutex((revision: 1, value: ""))
        /// The values that were written under the key.
        let values = Recorder<String>()
        /// Reported once.
        let failure = Box<GatewayFailure?>(nil)

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            let answer =
                switch request.url.split(separator: "/").last {
                case "grant": #"{"header":{"cluster_id":"1","revision":"1"},"ID":"7","TTL":"90"}"#
                case "range": state.withLock { #"{"header":{"revision":"9"},"kvs":[\#(Self.entry($0))]}"# }
                default: carryOut(request.body)
                }
            if let failure = failure.take(replacingWith: nil) { throw failure }
            try Array(answer.utf8).withUnsafeBufferPointer { (bytes) throws(GatewayFailure) in try receive(bytes) }
            return 200
        }

        private static func entry(_ state: (revision: Int, value: String)) -> String {
            #"{"key":"YQ==","mod_revision":"\#(state.revision)","value":"\#(state.value)"}"#
        }

        private func carryOut(_ body: [UInt8]) -> String {
            let text = String(decoding: body, as: UTF8.self)
            func part(after word: String) -> String {
                text.components(separatedBy: word).dropFirst().first?.components(separatedBy: "\"")[0] ?? ""
            }
            return state.withLock { state in
                let known = state.value.isEmpty ? 0 : state.revision
                guard part(after: #""mod_revision":""#) == "\(known)" else {
                    return
                        #"{"header":{"revision":"9"},"responses":[{"response_range":{"kvs":[\#(Self.entry(state))]}}]}"#
                }
                state.revision += 1
                state.value = part(after: #""value":""#)
                values.append(String(decoding: Data(base64Encoded: state.value) ?? Data(), as: UTF8.self))
                return #"{"header":{"revision":"\#(state.revision)"},"succeeded":true}"#
            }
        }
    }

    private let call = GatewayCall()

    private func begin(_ marker: inout ClientMarker, _ client: GatewayClient) throws -> ClientMarker.Transaction {
        try marker.prepare(client, within: .seconds(1), call: call)
        var transaction = ClientMarker.Transaction([], [])
        marker.begin(&transaction)
        return transaction
    }

    private func made(_ outcome: ClientMarker.Outcome) -> Int64? {
        if case .made(let revision) = outcome { revision } else { nil }
    }

    @Test("It shows that a transaction that is sent again was made, whatever the failure was")
    func sentAgain() throws {
        let cluster = ForgetfulCluster()
        let client = GatewayClient(try Endpoints(["a"]), transport: cluster, credentials: nil)
        var marker = ClientMarker(expiry: nil)
        let first = try begin(&marker, client)
        cluster.failure.value = .notConnected("as it says")
        #expect(throws: GatewayFailure.notConnected("as it says")) {
            _ = try marker.send(first, by: client, within: .seconds(1), call: call)
        }
        let again = try marker.send(first, by: client, within: .seconds(1), call: call)
        let next = try marker.send(begin(&marker, client), by: client, within: .seconds(1), call: call)
        #expect(made(again) == 2 && made(next) == 3)
        #expect(cluster.values.all == ["1", "2"])
    }

    @Test("It shows that a transaction was made with the last space that a cluster had, and writes nothing for that")
    func lastSpace() throws {
        let cluster = ForgetfulCluster()
        let client = GatewayClient(try Endpoints(["a"]), transport: cluster, credentials: nil)
        var marker = ClientMarker(expiry: nil)
        let first = try begin(&marker, client)
        cluster.failure.value = .noSpace
        #expect(throws: GatewayFailure.noSpace) {
            _ = try marker.send(first, by: client, within: .seconds(1), call: call)
        }
        let outcome = try marker.look(for: first, client, within: .seconds(1), call: call)
        #expect(made(outcome) == 2 && cluster.values.all == ["1"])
        let next = try begin(&marker, client)
        guard case .notMade = try marker.look(for: next, client, within: .seconds(1), call: call) else {
            Issue.record("nothing was sent since")
            return
        }
    }
}

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
        let canAdd = false
        /// Reported once.
        let failure = Box<GatewayFailure?>(nil)

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            let answer =
                switch request.url.split(separator: "/").last {
                case "grant": #"{"ID":"7","TTL":"90"}"#
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

    private func made(_ result: ClientMarker.Result) -> Int64? {
        if case .made(let revision) = result { revision } else { nil }
    }

    @Test("It shows that a transaction that is sent again was made, whatever the failure was")
    func sentAgain() throws {
        let cluster = ForgetfulCluster()
        let client = GatewayClient(try Endpoints(["a"]), transport: cluster, credentials: nil)
        var marker = ClientMarker()
        try marker.prepare(client, within: .seconds(1), call: GatewayCall())
        func send(_ ids: [QueuedWrite.ID]) throws(GatewayFailure) -> ClientMarker.Result {
            try marker.send(ids, [], [], by: client, within: .seconds(1), call: GatewayCall())
        }
        cluster.failure.value = .notConnected("as it says")
        #expect(throws: GatewayFailure.notConnected("as it says")) { try send([1]) }
        let (again, next) = (try send([1]), try send([2, 3]))
        #expect(made(again) == 3 && made(next) == 4)
        #expect(cluster.values.all == ["0", "1", "2"])
    }

    @Test("It shows that a transaction was made with the last space that a cluster had, and writes nothing for that")
    func lastSpace() throws {
        let cluster = ForgetfulCluster()
        let client = GatewayClient(try Endpoints(["a"]), transport: cluster, credentials: nil)
        var marker = ClientMarker()
        let (second, call) = (Duration.seconds(1), GatewayCall())
        try marker.prepare(client, within: second, call: call)
        cluster.failure.value = .noSpace
        #expect(throws: GatewayFailure.noSpace) {
            _ = try marker.send([1], [], [], by: client, within: second, call: call)
        }
        let result = try marker.resolve(isOver: true, client, within: second, call: call)
        #expect(made(result) == 3 && cluster.values.all == ["0", "1"])
        guard case .notMade = try marker.resolve(isOver: true, client, within: second, call: call) else {
            Issue.record("nothing was sent since")
            return
        }
    }
}

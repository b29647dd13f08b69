import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsEtcd

@Suite("A client's key", .ownThreads)
struct ClientMarkerTests {
    /// A cluster that carries transactions out, and says of some that no connection came about.
    private final class ForgetfulCluster: GatewayTransport {
        private let state = Mutex((revision: 1, value: ""))
        /// The values that were written under the key.
        let values = Recorder<String>()
        let isUnreached = Box(false)

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            let answer = request.url.hasSuffix("/lease/grant") ? #"{"ID":"7","TTL":"90"}"# : carryOut(request.body)
            if isUnreached.take(replacingWith: false) { throw .notConnected("as it says") }
            try Array(answer.utf8).withUnsafeBufferPointer { (bytes) throws(GatewayFailure) in try receive(bytes) }
            return 200
        }

        private func carryOut(_ body: [UInt8]) -> String {
            let text = String(decoding: body, as: UTF8.self)
            func part(after word: String) -> String {
                text.components(separatedBy: word).dropFirst().first?.components(separatedBy: "\"")[0] ?? ""
            }
            return state.withLock { state in
                let known = state.value.isEmpty ? 0 : state.revision
                guard part(after: #""mod_revision":""#) == "\(known)" else {
                    let entry = #"{"key":"YQ==","mod_revision":"\#(state.revision)","value":"\#(state.value)"}"#
                    return #"{"header":{"revision":"9"},"responses":[{"response_range":{"kvs":[\#(entry)]}}]}"#
                }
                state.revision += 1
                state.value = part(after: #""value":""#)
                values.append(String(decoding: Data(base64Encoded: state.value) ?? Data(), as: UTF8.self))
                return #"{"header":{"revision":"\#(state.revision)"},"succeeded":true}"#
            }
        }
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
        cluster.isUnreached.value = true
        #expect(throws: GatewayFailure.notConnected("as it says")) { try send([1]) }
        guard case .made(3) = try send([1]) else { return #expect(Bool(false), "it was made again, or not made") }
        guard case .made(4) = try send([2, 3]) else { return #expect(Bool(false), "the next one was not made") }
        #expect(cluster.values.all == ["0", "1", "2"])
    }
}

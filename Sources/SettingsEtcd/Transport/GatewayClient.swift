import SettingsKitCore
import Synchronization

/// Asks a cluster's members, one after another until one answers, with a token if the cluster requires one.
final class GatewayClient: Sendable {
    private let transport: any GatewayTransport
    private let endpoints: Mutex<Endpoints>
    private let count: Int
    private let credentials: EtcdStore.Credentials?
    private let token = Mutex<String?>(nil, .leaf)

    init(_ endpoints: Endpoints, transport: any GatewayTransport, credentials: EtcdStore.Credentials?) {
        count = endpoints.addresses.count
        self.endpoints = Mutex(endpoints, .leaf)
        self.transport = transport
        self.credentials = credentials
    }

    /// The address for the next request.
    var address: String { endpoints.withLock { $0.address } }

    /// Moves to another member, unless another thread has.
    func leave(_ address: String) { endpoints.withLock { $0.leave(address) } }

    /// Sends a message, and reads the answer. A message that must not be repeated is sent to one member.
    ///
    /// - Parameters:
    ///   - mayTakeLong: Whether the answer is large, so that `time` limits the silence before and between its bytes.
    ///   - time: The total time to wait; each member gets at most half of it.
    /// - Throws: The failure of the last member.
    func ask<Answer: Decodable>(
        _ message: GatewayMessage, mayTakeLong: Bool = false, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Answer {
        let end = ContinuousClock.now + time
        var failure = GatewayFailure.timedOut
        var mayRenewToken = credentials != nil
        var attempts = message.isRepeatable ? count : 1
        while attempts > 0 {
            let (address, used) = (address, token.withLock { $0 })
            let left = min(ContinuousClock.now.duration(to: end), count > 1 ? time / 2 : time)
            guard left > .zero else { throw failure }
            do throws(GatewayFailure) {
                var request = try request(message, to: address, patience: left, call: call)
                if mayTakeLong { (request.silence, request.longest) = (left, left * EtcdTimings.longAnswer) }
                let body = try receive(request, call: call, limit: message.answerLimit)
                if !message.isAnsweredByStream { return try readAnswer(body) }
                return try StreamMessage<Answer>.read(body.prefix { $0 != UInt8(ascii: "\n") })
            } catch {
                failure = error
                if error.asksForToken, mayRenewToken {
                    mayRenewToken = false
                    token.withLock { if $0 == used { $0 = nil } }
                    continue
                }
                // The next member would answer the same, or the caller decides.
                if error.isPermanent || error == .cancelled || error == .compacted { throw error }
                leave(address)
                attempts -= 1
            }
        }
        throw failure
    }

    /// Follows a stream at one member until it ends, which it does by throwing.
    func follow(
        _ message: GatewayMessage, at address: String, patience: Duration, silence: Duration, call: GatewayCall,
        _ receiveLine: (ArraySlice<UInt8>) throws(GatewayFailure) -> Void
    ) throws(GatewayFailure) -> Never {
        do throws(GatewayFailure) {
            var request = try request(message, to: address, patience: patience, call: call)
            request.silence = silence
            var lines = LineSplitter(limit: EtcdLimits.watchMessage)
            let status = try transport.send(request, call: call) { (bytes) throws(GatewayFailure) in
                try lines.add(bytes, receiveLine)
            }
            throw status == 200 ? .disconnected("the stream ended") : .notEtcd(status: status)
        } catch {
            if error.asksForToken { token.withLock { $0 = nil } }
            throw error
        }
    }

    private func receive(
        _ request: GatewayRequest, call: GatewayCall, limit: Int
    ) throws(GatewayFailure) -> [UInt8] {
        var body: [UInt8] = []
        let status = try transport.send(request, call: call) { (bytes) throws(GatewayFailure) in
            guard body.count + bytes.count <= limit else { throw .tooLong(limit: limit) }
            body.append(contentsOf: bytes)
        }
        guard status == 200 else { throw ErrorAnswer.failure(body, status: status) }
        return body
    }

    private func request(
        _ message: GatewayMessage, to address: String, patience: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> GatewayRequest {
        var request = GatewayRequest(
            // Without this header, a member that has lost the others stays silent.
            url: address + message.path, headers: ["Grpc-Metadata-hasleader: true"], body: message.body,
            patience: patience)
        if let credentials {
            let token = try token(of: credentials, at: address, within: patience, call: call)
            request.headers.append("Authorization: " + token)
        }
        return request
    }

    private func token(
        of credentials: EtcdStore.Credentials, at address: String, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> String {
        if let token = token.withLock({ $0 }) { return token }
        let message = GatewayMessage.authenticate(user: credentials.user, password: credentials.password)
        let request = GatewayRequest(url: address + message.path, headers: [], body: message.body, patience: time)
        do throws(GatewayFailure) {
            let body = try receive(request, call: call, limit: message.answerLimit)
            let token = try readAnswer(body, as: TokenAnswer.self).token
            // A line break would begin another header.
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .notEtcd(status: 200)
            }
            self.token.withLock { $0 = token }
            return token
        } catch {
            // Only the request for the token was sent, so the failure is certain.
            switch error {
            case .cancelled, .notConnected, .notSecure: throw error
            case .refused(3, _), .refused(9, _): throw .loginRefused
            default: throw .notConnected("no token: \(error)")
            }
        }
    }
}

#if canImport(Darwin)
    import Dispatch
    import Foundation
    import Security
    import SettingsKitCore
    import Synchronization

    /// Sends requests by `URLSession`.
    ///
    /// Unlike libcurl, it does not report how much of a request was sent. A request counts as not sent only if the failure's code
    /// says that no connection was established, and the system has counted no byte of the body as sent.
    final class URLSessionTransport: GatewayTransport {
        private let session: URLSession

        /// - Throws: ``SettingsError`` with the code `storeUnavailable` if a certificate cannot be read.
        init(security: EtcdStore.Security?) throws(SettingsError) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 16
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            // Regardless of the system's settings: a proxy would see the values.
            configuration.connectionProxyDictionary = [:]
            let trust: CertificateTrust
            do {
                trust = try CertificateTrust(security)
            } catch {
                throw SettingsError(.storeUnavailable, store: "EtcdStore", underlying: error)
            }
            session = URLSession(configuration: configuration, delegate: trust, delegateQueue: nil)
        }

        deinit { session.invalidateAndCancel() }

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            guard let url = URL(string: request.url) else { throw .notConnected("the address cannot be used") }
            var message = URLRequest(url: url)
            message.httpMethod = "POST"
            // The system may send it again by itself when a connection ends, which the client's marker makes harmless.
            message.httpBody = Data(request.body)
            // The clock below limits the time; this limit only must be longer.
            message.timeoutInterval = 3600
            message.setValue("application/json", forHTTPHeaderField: "Content-Type")
            for header in request.headers {
                let parts = header.split(separator: ":", maxSplits: 1)
                message.setValue(parts[1].trimmingCharacters(in: .whitespaces), forHTTPHeaderField: String(parts[0]))
            }
            let task = session.dataTask(with: message)
            let answer = PendingAnswer()
            task.delegate = answer
            let wake = call.begin(waking: { answer.signal() })
            defer {
                call.end(wake)
                task.cancel()
            }
            task.resume()
            var clock = CallClock(request)
            while true {
                if call.isCancelled { throw .cancelled }
                guard let left = clock.timeLeft else { throw .timedOut }
                switch answer.next(within: left) {
                case .bytes(let bytes):
                    clock.recordBytes()
                    try bytes.withUnsafeBufferPointer { (bytes) throws(GatewayFailure) in try receive(bytes) }
                case .end(let status, let failure):
                    if let failure { throw failure }
                    return status
                case nil: continue
                }
            }
        }
    }

    /// The arriving parts of one request's answer.
    private final class PendingAnswer: NSObject, URLSessionDataDelegate, Sendable {
        enum Part: Sendable {
            case bytes([UInt8])
            case end(status: Int, GatewayFailure?)
        }

        private let parts = Mutex<[Part]>([], .leaf)
        private let semaphore = DispatchSemaphore(value: 0)
        private let isBodySent = Mutex(false, .leaf)

        func signal() { semaphore.signal() }

        func next(within time: Duration) -> Part? {
            semaphore.wait(for: time)
            return parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }

        private func add(_ part: Part) {
            parts.withLock { $0.append(part) }
            semaphore.signal()
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            add(.bytes(Array(data)))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
            add(.end(status: status, error.map { failure($0, of: task) }))
        }

        /// Called at the first attempt, too, if the system sends the request again.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            isBodySent.withLock { $0 = true }
        }

        private func failure(_ error: any Error, of task: URLSessionTask) -> GatewayFailure {
            let mayBeSent = isBodySent.withLock { $0 } || task.countOfBytesSent > 0
            return switch (error as? URLError)?.code {
            // "Cancelled" is how the system reports a certificate that `CertificateTrust` refuses.
            case .cancelled, .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateHasBadDate, .clientCertificateRejected, .clientCertificateRequired,
                .appTransportSecurityRequiresSecureConnection:
                .notSecure("the certificates do not fit, or the system allows https alone", isSent: mayBeSent)
            case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
                mayBeSent ? .disconnected("the connection ended") : .notConnected("the connection cannot be made")
            default: .disconnected("the connection ended")
            }
        }

        /// Redirections are answers, not followed: the token would go with the request.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }

    /// Trusts the authorities of a file, and provides a client certificate.
    private final class CertificateTrust: NSObject, URLSessionDelegate, Sendable {
        private let authorities: [Data]
        /// A PKCS #12 file, and its password.
        private let identity: (file: Data, password: String)?

        /// - Throws: If a file cannot be read, or has other contents.
        init(_ security: EtcdStore.Security?) throws {
            authorities = try security?.authority.map(Self.certificates) ?? []
            identity = try security?.identity.map { identity in
                guard let password = identity.password, !password.isEmpty else {
                    throw UnusableCertificate(reason: "the system reads no PKCS #12 file without a password")
                }
                return (try Data(contentsOf: URL(fileURLWithPath: identity.certificate)), password)
            }
            // An empty list would mean trusting the system's authorities.
            if security?.authority != nil,
                !authorities.contains(where: { SecCertificateCreateWithData(nil, $0 as CFData) != nil })
            {
                throw UnusableCertificate(reason: "the file of the authorities has no PEM certificate")
            }
            if let identity, Self.identity(in: identity) == nil {
                throw UnusableCertificate(
                    reason: "the identity is no PKCS #12 file that the system reads, or has another password")
            }
        }

        private static func identity(in identity: (file: Data, password: String)) -> SecIdentity? {
            var items: CFArray?
            // On macOS, too, it must not get into the user's keychain.
            let options: [String: Any] = [
                kSecImportExportPassphrase as String: identity.password, kSecImportToMemoryOnly as String: true,
            ]
            guard SecPKCS12Import(identity.file as CFData, options as CFDictionary, &items) == errSecSuccess,
                let first = (items as? [[String: Any]])?.first, let found = first[kSecImportItemIdentity as String]
            else { return nil }
            // The dictionary contains nothing else under this key.
            return (found as! SecIdentity)
        }

        /// The certificates of a PEM file.
        private static func certificates(_ path: String) throws -> [Data] {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
                let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)
            }
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust where !authorities.isEmpty:
                guard let trust = space.serverTrust else {
                    return completionHandler(.cancelAuthenticationChallenge, nil)
                }
                let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                SecTrustSetAnchorCertificates(trust, anchors as CFArray)
                SecTrustSetAnchorCertificatesOnly(trust, true)
                let isTrusted = SecTrustEvaluateWithError(trust, nil)
                completionHandler(
                    isTrusted ? .useCredential : .cancelAuthenticationChallenge,
                    isTrusted ? URLCredential(trust: trust) : nil)
            case NSURLAuthenticationMethodClientCertificate:
                guard let own = identity.flatMap(Self.identity) else {
                    return completionHandler(.performDefaultHandling, nil)
                }
                completionHandler(
                    .useCredential, URLCredential(identity: own, certificates: nil, persistence: .forSession))
            default: completionHandler(.performDefaultHandling, nil)
            }
        }
    }

    private struct UnusableCertificate: ValueFreeError {
        let reason: String

        var description: String { "A certificate cannot be used: \(reason)." }
    }
#endif

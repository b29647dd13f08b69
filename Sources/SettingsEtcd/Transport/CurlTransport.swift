#if !canImport(Darwin)
    import CSettingsKitCurl
    import SettingsKitCore
    import Synchronization

    /// Sends requests by the system's libcurl. Connections are kept, and each is used by one thread at a time.
    final class CurlTransport: GatewayTransport {
        /// A connection of libcurl. Released with the last reference.
        private final class Connection: Sendable {
            let handle: csettingskit_curl

            init?() {
                handle = csettingskit_curl_open()
                if handle == 0 { return nil }
            }

            deinit { csettingskit_curl_close(handle) }
        }

        private static let libraryProblem = csettingskit_curl_load()

        private let security: EtcdStore.Security?
        private let idle = Mutex<[Connection]>([], .leaf)

        /// - Throws: ``SettingsError`` with the code `libraryUnavailable`.
        init(security: EtcdStore.Security?) throws(SettingsError) {
            self.security = security
            guard Self.libraryProblem == 0 else { throw SettingsError(.libraryMissing, store: "EtcdStore") }
        }

        func send(
            _ request: GatewayRequest, call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            guard let connection = idle.withLock({ $0.popLast() }) ?? makeConnection() else {
                throw .notConnected("libcurl cannot be used")
            }
            defer {
                idle.withLock { idle in if idle.count < EtcdLimits.idleConnections { idle.append(connection) } }
            }
            try prepare(connection, for: request)
            let handle = connection.handle
            let wake = call.begin(waking: { csettingskit_curl_wake(handle) })
            defer { call.end(wake) }
            return try perform(request, on: handle, call, receive)
        }

        private func makeConnection() -> Connection? {
            guard let connection = Connection() else { return nil }
            let handle = connection.handle
            let numbers = [
                (CSETTINGSKIT_CURL_POST, 1), (CSETTINGSKIT_CURL_NOSIGNAL, 1), (CSETTINGSKIT_CURL_FOLLOWLOCATION, 0),
                // Only HTTP and HTTPS.
                (CSETTINGSKIT_CURL_PROTOCOLS, 3), (CSETTINGSKIT_CURL_HTTP_VERSION, 2),
                (CSETTINGSKIT_CURL_TCP_NODELAY, 1), (CSETTINGSKIT_CURL_TCP_KEEPALIVE, 1),
                (CSETTINGSKIT_CURL_TCP_KEEPIDLE, 15), (CSETTINGSKIT_CURL_TCP_KEEPINTVL, 5),
                (CSETTINGSKIT_CURL_SSL_VERIFYPEER, 1), (CSETTINGSKIT_CURL_SSL_VERIFYHOST, 2),
            ]
            for (option, number) in numbers where csettingskit_curl_set_number(handle, option, number) != 0 {
                return nil
            }
            // Regardless of the environment: a proxy would see the values.
            var texts: [(Int32, String)] = [(CSETTINGSKIT_CURL_PROXY, "")]
            if let authority = security?.authority { texts.append((CSETTINGSKIT_CURL_CAINFO, authority)) }
            if let identity = security?.identity {
                texts.append((CSETTINGSKIT_CURL_SSLCERT, identity.certificate))
                texts.append((CSETTINGSKIT_CURL_SSLKEY, identity.key))
                // An empty one, too: without a password, libcurl would ask for one on the terminal.
                texts.append((CSETTINGSKIT_CURL_KEYPASSWD, identity.password ?? ""))
            }
            for (option, text) in texts where csettingskit_curl_set_text(handle, option, text) != 0 {
                return nil
            }
            return connection
        }

        private func prepare(_ connection: Connection, for request: GatewayRequest) throws(GatewayFailure) {
            let handle = connection.handle
            // The body is not sent in a second step.
            let headers = request.headers + ["Content-Type: application/json", "Expect:"]
            let results =
                [
                    csettingskit_curl_set_text(handle, CSETTINGSKIT_CURL_URL, request.url),
                    csettingskit_curl_set_number(
                        handle, CSETTINGSKIT_CURL_CONNECTTIMEOUT_MS,
                        max(1, Int(request.patience / .milliseconds(1)))),
                ] + headers.map { csettingskit_curl_add_header(handle, $0) }
            guard results.allSatisfy({ $0 == 0 }) else { throw .notConnected("libcurl cannot be used") }
        }

        /// What the C functions of one request share.
        private struct Progress {
            var clock: CallClock
            let call: GatewayCall
            let receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
            var failure: GatewayFailure?

            mutating func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
                clock.recordBytes()
                do throws(GatewayFailure) {
                    try receive(bytes)
                    return clockRuns()
                } catch {
                    failure = error
                    return false
                }
            }

            mutating func clockRuns() -> Bool {
                if call.isCancelled { failure = .cancelled } else if clock.timeLeft == nil { failure = .timedOut }
                return failure == nil
            }

            /// The pause in milliseconds; -1 if the request's time is over.
            mutating func pause() -> Int32 {
                guard clockRuns(), let left = clock.timeLeft else { return -1 }
                return Int32(max(1, min(60_000, left / .milliseconds(1))))
            }
        }

        private func perform(
            _ request: GatewayRequest, on handle: csettingskit_curl, _ call: GatewayCall,
            _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
        ) throws(GatewayFailure) -> Int {
            var outcome = csettingskit_curl_outcome()
            let (code, failure) = withoutActuallyEscaping(receive) { receive -> (Int32, GatewayFailure?) in
                var progress = Progress(clock: CallClock(request), call: call, receive: receive)
                let code = withUnsafeMutablePointer(to: &progress) { progress in
                    request.body.withUnsafeBytes { body in
                        csettingskit_curl_perform(
                            handle, body.baseAddress, body.count,
                            { context, bytes, size in
                                let bytes = UnsafeBufferPointer(
                                    start: bytes?.assumingMemoryBound(to: UInt8.self), count: size)
                                return context!.assumingMemoryBound(to: Progress.self).pointee.receive(bytes) ? 1 : 0
                            },
                            { $0!.assumingMemoryBound(to: Progress.self).pointee.pause() }, progress, &outcome)
                    }
                }
                return (code, progress.failure)
            }
            if let failure { throw failure }
            if code == CSETTINGSKIT_CURL_OK { return outcome.status }
            throw Self.failure(code, outcome, problem: String(cString: csettingskit_curl_problem(handle)))
        }

        /// The failure for a code of libcurl.
        ///
        /// The code does not decide whether the request was sent: one that means a failed connection may belong to another
        /// attempt, after the request was sent over a kept connection that ended.
        ///
        /// - Parameter problem: Libcurl's message. It is not shown.
        static func failure(_ code: Int32, _ outcome: csettingskit_curl_outcome, problem: String) -> GatewayFailure {
            if code == CSETTINGSKIT_CURL_OPERATION_TIMEDOUT { return .timedOut }
            let words = String(cString: csettingskit_curl_message(code))
            if isSecurityProblem(code, outcome, problem) { return .notSecure(words, isSent: outcome.sent > 0) }
            return outcome.sent == 0 ? .notConnected(words) : .disconnected(words)
        }

        private static func isSecurityProblem(
            _ code: Int32, _ outcome: csettingskit_curl_outcome, _ problem: String
        ) -> Bool {
            switch code {
            case CSETTINGSKIT_CURL_SSL_CERTPROBLEM, CSETTINGSKIT_CURL_PEER_FAILED_VERIFICATION,
                CSETTINGSKIT_CURL_SSL_CACERT_BADFILE, CSETTINGSKIT_CURL_SSL_CRL_BADFILE,
                CSETTINGSKIT_CURL_SSL_ISSUER_ERROR, CSETTINGSKIT_CURL_SSL_CLIENTCERT:
                true
            case CSETTINGSKIT_CURL_SSL_CONNECT_ERROR:
                // Excludes a connection that was cut during the handshake.
                ["error:", "alert", "certificate"].contains { problem.lowercased().contains($0) }
            case CSETTINGSKIT_CURL_SEND_ERROR, CSETTINGSKIT_CURL_RECV_ERROR:
                // Since TLS 1.3, a member refuses a certificate after the handshake, and may close the connection before its
                // refusal is read.
                outcome.has_new_tls != 0 && outcome.status == 0
            default: false
            }
        }
    }
#endif

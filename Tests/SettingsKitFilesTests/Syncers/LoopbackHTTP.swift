import Foundation

/// HTTP requests to programs on this machine, over plain sockets.
enum LoopbackHTTP {
    struct Response: Sendable {
        var status: Int
        var body: Data
    }

    /// Sends a request without a body, and waits for the whole answer.
    ///
    /// - Returns: nil if no process listens.
    static func request(
        _ method: String, port: UInt16, path: String, headers: [String: String], within seconds: Double
    ) async throws -> Response? {
        guard let socket = try LoopbackSocket.connected(to: port) else { return nil }
        // HTTP 1.0: the answer comes in one piece, and ends with the connection.
        var lines = ["\(method) \(path) HTTP/1.0", "Host: 127.0.0.1:\(port)", "Content-Length: 0"]
        lines += headers.map { "\($0): \($1)" }
        try socket.write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        var received = Data()
        try await wait(within: seconds, for: "the answer to \(method) \(path)") {
            while let bytes = try socket.read() {
                if bytes.isEmpty { return true }
                received += bytes
            }
            return false
        }
        return try response(received)
    }

    /// A port on the loopback interface that is free, and that no other call in this process returns.
    ///
    /// It is out of the range from which systems take ports by themselves, so that it still is free a moment later.
    static func freePort() throws -> UInt16 {
        for _ in 0..<1_000 {
            let port = UInt16.random(in: 20_000..<32_000)
            let isNew = returnedPorts.withLock { $0.insert(port).inserted }
            if try isNew && LoopbackSocket.isFree(port) { return port }
        }
        throw ToolError("no port is free")
    }

    private static let returnedPorts = Mutex<Set<UInt16>>([])

    private static func response(_ bytes: Data) throws -> Response {
        guard let head = bytes.range(of: Data("\r\n\r\n".utf8)) else { throw ToolError("not a whole HTTP answer") }
        let words = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
            throw ToolError("not an HTTP answer")
        }
        return Response(status: status, body: Data(bytes[head.upperBound...]))
    }
}

/// A TCP socket on the loopback interface.
private final class LoopbackSocket: Sendable {
    private let descriptor: Int32

    private init() throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Self.error("socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    /// - Returns: nil if no process listens.
    static func connected(to port: UInt16) throws -> LoopbackSocket? {
        let socket = try LoopbackSocket()
        // Without a network in between, this does not wait.
        let result = withAddress(port) { connect(socket.descriptor, $0, $1) }
        if result != 0, errno == ECONNREFUSED { return nil }
        guard result == 0 else { throw error("connect") }
        guard fcntl(socket.descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw error("fcntl") }
        return socket
    }

    static func isFree(_ port: UInt16) throws -> Bool {
        let socket = try LoopbackSocket()
        return withAddress(port) { bind(socket.descriptor, $0, $1) } == 0
    }

    /// Sends a few bytes, which the system takes at once.
    func write(_ bytes: [UInt8]) throws {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        guard count == bytes.count else { throw Self.error("send") }
    }

    /// - Returns: what has come; nothing at the end; nil if there is nothing yet.
    func read() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { return nil }
        guard count >= 0 else { throw Self.error("recv") }
        return Array(buffer[..<count])
    }

    private static func withAddress<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func error(_ call: String) -> ToolError {
        ToolError("\(call): \(String(cString: strerror(errno)))")
    }
}

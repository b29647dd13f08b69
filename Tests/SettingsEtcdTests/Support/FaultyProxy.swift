import Foundation
import SettingsTestSupport

/// Passes connections on to a port, and disturbs them: delays pieces, cuts connections, loses answers after the request was
/// carried out or replaces them, and sends requests twice or late. It can also be as a member is that dies and comes back.
final class FaultyProxy: Sendable {
    /// What is done to the pieces that pass, each with a probability.
    struct Faults: Sendable {
        /// The longest delay of a piece in milliseconds.
        var delay = 0
        var cut = 0.0
        /// Sends a write request over a second connection as well, now or a moment later.
        var duplicates = 0.0
        /// Cuts when a write request comes, and sends the request some hundred milliseconds later.
        var isLate = 0.0
        /// Cuts when the answer to a write request begins.
        var losesWrite = 0.0
        /// Replaces the answer to a write request by bytes that are not HTTP.
        var junk = 0.0
        /// When the answer to a write request begins, cuts all connections, and refuses others until ``whileDead`` returns.
        var dies = 0.0
        var whileDead: @Sendable () -> Void = { usleep(150_000) }
        /// Nothing passes, and connections stay open.
        var isStopped = false
        /// Nothing of a watch passes.
        var holdsWatches = false
        /// New connections are closed at once.
        var isRefusing = false
    }

    private struct State {
        var faults = Faults()
        /// The faults of the next write request that one of them happens to.
        var next: Faults?
        var generator: SeededGenerator
        var connections: [Connection] = []
        var isClosed = false
        var isDead = false
        var socket: ListeningSocket

        var isRefusing: Bool { faults.isRefusing || isClosed || isDead }

        mutating func happens(_ probability: Double) -> Bool {
            probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
        }

        /// The same, for a fault of a write request.
        mutating func happensToWrite(_ probability: KeyPath<Faults, Double>) -> Faults? {
            if let next, happens(next[keyPath: probability]) {
                self.next = nil
                return next
            }
            return happens(faults[keyPath: probability]) ? faults : nil
        }
    }

    private static let transactionPath = "/v3/kv/txn"

    let port: Int
    private let target: Int
    private let state: Mutex<State>

    init(to target: Int, seed: UInt64 = 1) throws {
        let socket = try ListeningSocket()
        (port, self.target) = (socket.port, target)
        state = Mutex(State(generator: SeededGenerator(seed: seed), socket: socket))
        listen(on: socket)
    }

    private func listen(on socket: ListeningSocket) {
        Thread.detachNewThread { [weak self] in
            while let connection = socket.accept() {
                guard let self else { return connection.close() }
                serve(connection)
            }
        }
    }

    /// Ends as a killed process does, and comes back.
    private func die(_ whileDead: () -> Void) {
        let socket = state.withLock { state -> ListeningSocket? in
            if state.isClosed || state.isDead { return nil }
            state.isDead = true
            return state.socket
        }
        guard let socket else { return }
        socket.close()
        cutAll()
        whileDead()
        while true {
            guard let socket = try? ListeningSocket(port: port) else {
                usleep(10_000)
                continue
            }
            let isOpen = state.withLock { state in
                state.isDead = false
                if !state.isClosed { state.socket = socket }
                return !state.isClosed
            }
            return isOpen ? listen(on: socket) : socket.close()
        }
    }

    deinit { close() }

    var endpoint: String { "http://127.0.0.1:\(port)" }

    func setFaults(_ faults: Faults) { state.withLock { $0.faults = faults } }

    /// Has one of the faults of write requests happen to the next one.
    func setNextFault(_ faults: Faults) { state.withLock { $0.next = faults } }

    /// Cuts all connections.
    func cutAll() {
        for connection in state.withLock({ $0.connections }) { connection.cut() }
    }

    func close() {
        let socket = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed || state.isDead ? nil : state.socket
        }
        socket?.close()
        cutAll()
    }

    private func serve(_ client: Connection) {
        guard !state.withLock({ $0.isRefusing }), let server = Connection(port: target) else { return client.close() }
        // Refusing may have begun meanwhile, and the connections that there were are cut.
        let isServed = state.withLock { state in
            if state.isRefusing { return false }
            state.connections += [client, server]
            return true
        }
        guard isServed else {
            client.close()
            return server.close()
        }
        let group = DispatchGroup()
        let path = Box("")
        for work in [
            { self.passRequests(from: client, to: server, path) },
            { self.passAnswers(from: server, to: client, path) },
        ] as [@Sendable () -> Void] {
            group.enter()
            Thread.detachNewThread {
                work()
                client.cut()
                server.cut()
                group.leave()
            }
        }
        Thread.detachNewThread {
            group.wait()
            self.state.withLock { state in
                state.connections.removeAll { [client.descriptor, server.descriptor].contains($0.descriptor) }
            }
            client.close()
            server.close()
        }
    }

    /// Passes requests on, each as a whole.
    ///
    /// - Parameter path: Set to that of each request.
    private func passRequests(from client: Connection, to server: Connection, _ path: Box<String>) {
        var splitter = RequestSplitter()
        while case let bytes = client.receive(), !bytes.isEmpty {
            for request in splitter.add(bytes) {
                path.value = String(decoding: request.split(separator: UInt8(ascii: " "))[1], as: UTF8.self)
                let isTransaction = path.value == Self.transactionPath
                guard mayPass() else { return }
                if isTransaction, happensToWrite(\.duplicates) {
                    Self.send(request, to: target, afterMilliseconds: Bool.random() ? 20 : 0)
                }
                if isTransaction, happensToWrite(\.isLate) {
                    return Self.send(request, to: target, afterMilliseconds: .random(in: 50...400))
                }
                if !server.send(request) { return }
            }
        }
    }

    private func passAnswers(from server: Connection, to client: Connection, _ path: Box<String>) {
        while case let bytes = server.receive(), !bytes.isEmpty {
            let isTransaction = path.value == Self.transactionPath
            // The rest of the answer is none that begins.
            if isTransaction { path.value = "" }
            let isWatch = path.value == "/v3/watch"
            while isWatch, state.withLock({ $0.faults.holdsWatches && !$0.isClosed }) { usleep(5000) }
            guard mayPass(), !isTransaction || !happensToWrite(\.losesWrite) else { return }
            if isTransaction, let death = state.withLock({ $0.happensToWrite(\.dies) }) { return die(death.whileDead) }
            if isTransaction, happensToWrite(\.junk) {
                _ = client.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
                return
            }
            if !client.send(bytes) { return }
        }
    }

    private func happensToWrite(_ probability: KeyPath<Faults, Double>) -> Bool {
        state.withLock { $0.happensToWrite(probability) != nil }
    }

    /// Waits as the faults say, and returns whether the connection goes on.
    private func mayPass() -> Bool {
        let (cuts, delay) = state.withLock { state in
            let faults = state.faults
            return (
                state.happens(faults.cut),
                faults.delay > 0 ? Int.random(in: 0...faults.delay, using: &state.generator) : 0
            )
        }
        if delay > 0 { usleep(UInt32(delay) * 1000) }
        while state.withLock({ $0.faults.isStopped && !$0.isClosed }) { usleep(5000) }
        return !cuts
    }

    /// Sends a request over a connection of its own, and takes no notice of the answer.
    private static func send(_ request: [UInt8], to target: Int, afterMilliseconds pause: UInt32) {
        Thread.detachNewThread {
            usleep(pause * 1000)
            guard let other = Connection(port: target) else { return }
            _ = other.send(request)
            _ = other.receive()
            other.close()
        }
    }
}

/// Cuts what a client sends into requests.
struct RequestSplitter {
    private var bytes: [UInt8] = []
    /// The length of the first request; nil until its header is there.
    private var length: Int?

    /// Takes bytes as they arrive, and returns the requests that are complete.
    mutating func add(_ new: [UInt8]) -> [[UInt8]] {
        bytes += new
        var requests: [[UInt8]] = []
        while let length = length ?? headerLength(), bytes.count >= length {
            requests.append(Array(bytes[..<length]))
            bytes.removeFirst(length)
            self.length = nil
        }
        return requests
    }

    private mutating func headerLength() -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let header = String(decoding: bytes[..<start], as: UTF8.self).lowercased()
        let field = header.components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
        let body = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        length = start + end.count + body
        return length
    }
}

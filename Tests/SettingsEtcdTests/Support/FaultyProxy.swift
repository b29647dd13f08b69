import Foundation
import SettingsTestSupport

/// Passes connections on to a port, and disturbs them: delays pieces, cuts connections, loses answers after the request was
/// carried out, and sends requests twice.
final class FaultyProxy: Sendable {
    /// What is done to the pieces that pass, each with a probability.
    struct Faults: Sendable {
        /// The longest delay of a piece in milliseconds.
        var delay = 0
        var cut = 0.0
        /// Cuts when an answer comes, so that only the client knows nothing of it.
        var losesAnswer = 0.0
        /// Sends a write request over a second connection as well, now or a moment later.
        var duplicates = 0.0
        /// Nothing passes, and connections stay open.
        var isStopped = false
        /// New connections are closed at once.
        var isRefusing = false
    }

    private struct State {
        var faults = Faults()
        var generator: SeededGenerator
        var connections: [Connection] = []
        var isClosed = false
        var target: Int
    }

    private let socket: ListeningSocket
    private let state: Mutex<State>

    init(to target: Int, seed: UInt64 = 1) throws {
        socket = try ListeningSocket()
        state = Mutex(State(generator: SeededGenerator(seed: seed), target: target))
        let (socket, box) = (socket, WeakBox(self))
        Thread.detachNewThread {
            while let connection = socket.accept() {
                guard let proxy = box.object else { return connection.close() }
                proxy.serve(connection)
            }
        }
    }

    private final class WeakBox: Sendable {
        private let reference: Mutex<Reference>

        private struct Reference: @unchecked Sendable {
            // Used inside the mutex only.
            weak var object: FaultyProxy?
        }

        init(_ object: FaultyProxy) { reference = Mutex(Reference(object: object)) }

        var object: FaultyProxy? { reference.withLock { $0.object } }
    }

    deinit { close() }

    var port: Int { socket.port }
    var endpoint: String { "http://127.0.0.1:\(port)" }

    func setFaults(_ faults: Faults) { state.withLock { $0.faults = faults } }

    func setTarget(_ port: Int) { state.withLock { $0.target = port } }

    /// Cuts all connections.
    func cutAll() {
        for connection in state.withLock({ $0.connections }) { connection.cut() }
    }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { socket.close() }
        cutAll()
    }

    private func serve(_ client: Connection) {
        let (isRefusing, target) = state.withLock { ($0.faults.isRefusing || $0.isClosed, $0.target) }
        guard !isRefusing, let server = Connection(port: target) else { return client.close() }
        // Refusing may have begun meanwhile, and the connections that there were are cut.
        let isServed = state.withLock { state in
            if state.faults.isRefusing || state.isClosed { return false }
            state.connections += [client, server]
            return true
        }
        guard isServed else {
            client.close()
            return server.close()
        }
        let group = DispatchGroup()
        for (from, to, isRequest) in [(client, server, true), (server, client, false)] {
            group.enter()
            Thread.detachNewThread {
                self.pump(from, to, isRequest: isRequest)
                from.cut()
                to.cut()
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

    private func pump(_ from: Connection, _ to: Connection, isRequest: Bool) {
        while case let bytes = from.receive(), !bytes.isEmpty {
            let (cuts, duplicates, delay, target) = state.withLock { state in
                let faults = state.faults
                func happens(_ probability: Double) -> Bool {
                    probability > 0 && Double.random(in: 0..<1, using: &state.generator) < probability
                }
                return (
                    happens(faults.cut) || !isRequest && happens(faults.losesAnswer),
                    isRequest && bytes.starts(with: Array("POST /v3/kv/txn".utf8)) && happens(faults.duplicates),
                    faults.delay > 0 ? Int.random(in: 0...faults.delay, using: &state.generator) : 0, state.target
                )
            }
            if delay > 0 { usleep(UInt32(delay) * 1000) }
            while state.withLock({ $0.faults.isStopped && !$0.isClosed }) { usleep(5000) }
            if cuts { return }
            if duplicates {
                Thread.detachNewThread {
                    guard let other = Connection(port: target) else { return }
                    if Bool.random() { usleep(20_000) }
                    _ = other.send(bytes)
                    _ = other.receive()
                    other.close()
                }
            }
            if !to.send(bytes) { return }
        }
    }
}

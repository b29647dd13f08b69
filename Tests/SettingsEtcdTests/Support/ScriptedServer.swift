import Foundation
import SettingsTestSupport

/// A server that answers each request as a test says.
final class ScriptedServer: Sendable {
    /// What happens after a request.
    enum Step: Sendable {
        case answer(String)
        /// Answers, and closes the connection although it was to be kept.
        case answerAndClose(String)
        /// Sends bytes and closes the connection.
        case bytes(String)
        /// Sends bytes, and then others without end, or nothing.
        case endless(String, then: String)
        /// Closes the connection, and accepts others.
        case close
        /// Closes the connection, and refuses others.
        case die
    }

    /// The requests that have arrived, each as a whole.
    let requests = Recorder<[UInt8]>()
    /// The numbers of the connections that the server has closed.
    let closed = Recorder<Int>()
    private let socket: ListeningSocket
    private let connectionCount = Box(0)
    private let steps: Mutex<[Step]>

    /// - Parameter steps: What happens after each request; the last one, also after all further requests.
    init(_ steps: Step...) throws {
        socket = try ListeningSocket()
        self.steps = Mutex(steps)
        Thread.detachNewThread { [socket, weak self] in
            while let connection = socket.accept() {
                guard let self else { return connection.close() }
                connectionCount.value += 1
                let number = connectionCount.value
                Thread.detachNewThread { self.serve(connection, number) }
            }
        }
    }

    deinit { close() }

    var endpoint: String { "http://127.0.0.1:\(socket.port)" }

    func close() { socket.close() }

    private func serve(_ connection: Connection, _ number: Int) {
        defer {
            connection.close()
            closed.append(number)
        }
        var splitter = RequestSplitter()
        while case let bytes = connection.receive(), !bytes.isEmpty {
            for request in splitter.add(bytes) {
                requests.append(request)
                guard carryOut(steps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }, connection) else { return }
            }
        }
    }

    /// - Returns: Whether the connection is kept.
    private func carryOut(_ step: Step, _ connection: Connection) -> Bool {
        func send(_ text: String) -> Bool { connection.send(Array(text.utf8)) }
        func answer(_ body: String) -> Bool {
            send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        switch step {
        case .answer(let body): return answer(body)
        case .answerAndClose(let body): return answer(body) && false
        case .bytes(let bytes): return send(bytes) && false
        case .endless(let bytes, ""): return send(bytes)
        case .endless(let bytes, let block):
            var isOpen = send(bytes)
            while isOpen { isOpen = send(String(repeating: block, count: 65_536 / block.utf8.count)) }
            return false
        case .close: return false
        case .die:
            socket.close()
            return false
        }
    }
}

import Foundation
import SettingsTestSupport

/// A server that answers each request with the same bytes, or without end.
final class HostileServer: Sendable {
    private let socket: ListeningSocket
    private let isClosed = Box(false)

    /// - Parameters:
    ///   - answer: The bytes of each answer.
    ///   - repeated: What follows without end; nil to close the connection.
    init(_ answer: String, repeating repeated: String? = nil) throws {
        socket = try ListeningSocket()
        let (socket, isClosed) = (socket, isClosed)
        Thread.detachNewThread {
            while let connection = socket.accept() {
                Thread.detachNewThread {
                    defer { connection.close() }
                    guard !connection.receive().isEmpty, connection.send(Array(answer.utf8)) else { return }
                    guard let repeated else { return }
                    let block = Array(
                        String(repeating: repeated, count: max(1, 65_536 / max(1, repeated.utf8.count))).utf8)
                    if repeated.isEmpty {
                        while !isClosed.value { usleep(10_000) }
                    } else {
                        while !isClosed.value, connection.send(block) {}
                    }
                }
            }
        }
    }

    deinit { close() }

    var endpoint: String { "http://127.0.0.1:\(socket.port)" }

    func close() {
        if !isClosed.take(replacingWith: true) { socket.close() }
    }
}

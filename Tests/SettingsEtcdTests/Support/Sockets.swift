import Foundation
import SettingsTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
#else
    import Darwin
    private let stream = SOCK_STREAM
#endif

private func withAddress<R>(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
        Glibc.close(descriptor)
    #else
        Darwin.close(descriptor)
    #endif
}

private struct NoPort: Error {}

/// A socket of the loopback device that accepts connections.
final class ListeningSocket: Sendable {
    private let descriptor: Int32
    let port: Int
    private let isClosed = Box(false)

    /// Ports of programs that tests have started or are about to start. Until a program listens, its port is free, and the system
    /// could choose it for another one.
    private static let reservedPorts = Mutex<Set<Int>>([])

    /// - Parameter wanted: The port; 0 for one that is free.
    init(port wanted: Int = 0) throws {
        var rejected: [Int32] = []
        defer { for descriptor in rejected { closeDescriptor(descriptor) } }
        while true {
            let (descriptor, port) = try Self.open(on: wanted)
            if wanted != 0 || !Self.reservedPorts.withLock({ $0.contains(port) }) {
                (self.descriptor, self.port) = (descriptor, port)
                return
            }
            // Kept until the end: the system chooses another port then.
            rejected.append(descriptor)
        }
    }

    /// Keeps the port from being chosen again in this process.
    func reservePort() -> Int {
        Self.reservedPorts.withLock { _ = $0.insert(port) }
        return port
    }

    private static func open(on wanted: Int) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening =
            descriptor >= 0 && withAddress(wanted, { bind(descriptor, $0, $1) }) == 0
            && listen(descriptor, 64) == 0
            && withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            } == 0
        guard isListening else {
            if descriptor >= 0 { closeDescriptor(descriptor) }
            throw NoPort()
        }
        return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    }

    deinit {
        // Not before: the number could be another socket's when a thread comes to `accept` again.
        #if canImport(Glibc)
            closeDescriptor(descriptor)
        #else
            close()
        #endif
    }

    /// Nil at the end.
    func accept() -> Connection? {
        #if canImport(Glibc)
            let accepted = Glibc.accept(descriptor, nil, nil)
        #else
            let accepted = Darwin.accept(descriptor, nil, nil)
        #endif
        return accepted >= 0 ? Connection(descriptor: accepted) : nil
    }

    /// Refuses connections. Wakes a thread in ``accept()``, too.
    func close() {
        if isClosed.take(replacingWith: true) { return }
        #if canImport(Glibc)
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
        #else
            closeDescriptor(descriptor)
        #endif
    }
}

/// A connection over the loopback device.
struct Connection: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    init?(port: Int) {
        descriptor = socket(AF_INET, stream, 0)
        let descriptor = descriptor
        guard descriptor >= 0, withAddress(port, { connect(descriptor, $0, $1) }) == 0 else {
            close()
            return nil
        }
    }

    /// Empty at the end.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                #if canImport(Glibc)
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                #else
                    Darwin.send(descriptor, $0.baseAddress, $0.count, 0)
                #endif
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends the connection for both sides and for threads that wait for it.
    func cut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { closeDescriptor(descriptor) }
}

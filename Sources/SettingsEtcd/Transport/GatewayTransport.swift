import SettingsKitCore
import Synchronization

/// A request as it is sent: to an address, with headers and a body, bounded in time.
struct GatewayRequest: Sendable {
    var url: String
    /// Header lines, besides those that HTTP itself needs.
    var headers: [String]
    var body: [UInt8]
    /// How long to wait for a connection and for the first byte of the answer; for an answer that is no stream, also for its
    /// last byte.
    var patience: Duration
    /// For a stream, how long it may be silent after its first byte; nil for an answer that ends by itself.
    var silence: Duration?
}

/// Sends requests. The calling thread waits.
protocol GatewayTransport: Sendable {
    /// Sends a request, and hands over the bytes of the answer's body as they come.
    ///
    /// - Parameters:
    ///   - call: Cancels the request from another thread.
    ///   - receive: Ends the request by throwing.
    /// - Returns: The HTTP status.
    /// - Throws: What `receive` throws; `notConnected`, `disconnected`, `timedOut` or `cancelled`.
    func send(
        _ request: GatewayRequest, call: GatewayCall,
        _ receive: (UnsafeBufferPointer<UInt8>) throws(GatewayFailure) -> Void
    ) throws(GatewayFailure) -> Int
}

/// Lets a thread cancel what other ones wait for.
final class GatewayCall: Sendable {
    private struct State {
        var isCancelled = false
        var wakes: [Int: @Sendable () -> Void] = [:]
        var lastWake = 0
    }

    private let state = Mutex(State(), .leaf)

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the requests that use this call, and all later ones.
    func cancel() {
        // Inside the lock: what is woken exists as long as it is noted here.
        state.withLock { state in
            state.isCancelled = true
            for wake in state.wakes.values { wake() }
        }
    }

    /// Calls `wake` if the call is cancelled before ``end(_:)``. It must not block.
    func begin(waking wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastWake += 1
            state.wakes[state.lastWake] = wake
            return state.lastWake
        }
    }

    func end(_ wake: Int) {
        state.withLock { $0.wakes[wake] = nil }
    }
}

/// The bounds in time of a request.
struct CallClock {
    private let request: GatewayRequest
    private let start = ContinuousClock.now
    private var lastByte: ContinuousClock.Instant?

    init(_ request: GatewayRequest) { self.request = request }

    mutating func noteBytes() { lastByte = .now }

    /// How long the request may still wait; nil if its time is over.
    var timeLeft: Duration? {
        let end =
            if let silence = request.silence, let lastByte { lastByte + silence } else { start + request.patience }
        let left = ContinuousClock.now.duration(to: end)
        return left > .zero ? left : nil
    }
}

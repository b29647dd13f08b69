import SettingsKitCore
import Synchronization

/// A request as it is sent: to an address, with headers and a body, bounded in time.
struct GatewayRequest: Sendable {
    var url: String
    /// Header lines, in addition to those that HTTP itself needs.
    var headers: [String]
    var body: [UInt8]
    /// The time to wait for a connection and for the first byte of the answer, and for its last byte unless the answer is a
    /// stream.
    var patience: Duration
    /// The longest silence after the first byte, for a stream or an answer that may take long; nil for others.
    var silence: Duration?
    /// The longest time of an answer; nil for a stream.
    var longest: Duration?
}

/// Sends requests. The calling thread waits.
protocol GatewayTransport: Sendable {
    /// Sends a request, and passes on the bytes of the answer's body as they arrive. A request whose kept connection ends before
    /// the answer may be sent twice: a transaction's marker keeps it from being carried out twice.
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

/// Lets a thread cancel other threads' requests.
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
        // Called inside the lock: the object to wake exists as long as it is recorded here.
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

/// The time limits of a request.
struct CallClock {
    private let request: GatewayRequest
    private let start = ContinuousClock.now
    private var lastByte: ContinuousClock.Instant?

    init(_ request: GatewayRequest) { self.request = request }

    mutating func recordBytes() { lastByte = .now }

    /// The time that the request may still wait; nil if its time is over.
    var timeLeft: Duration? {
        var end =
            if let silence = request.silence, let lastByte { lastByte + silence } else { start + request.patience }
        if let longest = request.longest { end = min(end, start + longest) }
        let left = ContinuousClock.now.duration(to: end)
        return left > .zero ? max(left, .milliseconds(1)) : nil
    }
}

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
    /// Whether the body continues during the answer, if the transport supports that.
    var isOpen = false

    /// The announced length of an open body. Go's server would read all of a body below 256 KB, or in chunks, before it answers.
    static let announcedLength: Int64 = 1 << 30
}

/// Sends requests. The calling thread waits.
protocol GatewayTransport: Sendable {
    /// Whether it can add to the body of an open request.
    var canAdd: Bool { get }

    /// Sends a request, and passes on the bytes of the answer's body as they arrive.
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
    private let start: ContinuousClock.Instant
    private var lastByte: ContinuousClock.Instant?
    private var additions: BodyAdditions?

    init(_ request: GatewayRequest) {
        (self.request, start) = (request, .now)
        if request.isOpen, let silence = request.silence { additions = BodyAdditions(start, silence: silence) }
    }

    mutating func recordBytes() {
        lastByte = .now
        additions?.recordBytes(at: .now)
    }

    /// Returns the addition to an open body that is due now.
    mutating func nextAddition() -> StaticString? { additions?.removeNext(at: .now) }

    /// The time that the request may still wait, but not beyond the next addition; nil if its time is over.
    var timeLeft: Duration? {
        let now = ContinuousClock.now
        var end =
            if let silence = request.silence, let lastByte { lastByte + silence } else { start + request.patience }
        if let longest = request.longest { end = min(end, start + longest) }
        guard end > now else { return nil }
        return now.duration(to: max(now + .milliseconds(1), min(end, additions?.next ?? end)))
    }
}

/// The additions to the body of a watch: after each half of the permitted silence a question, which a live member answers
/// immediately.
///
/// Before the answer begins, the additions are spaces. Go's server locks the body while it waits for more of it, and can begin
/// the answer only between two pieces. Pure.
struct BodyAdditions {
    static let question: StaticString = "{\"progress_request\":{}}\n"
    static let space: StaticString = "\n"

    private let interval: Duration
    private var hasBegun = false
    private var pause = EtcdTimings.firstSpacePause
    /// The time of the next addition; nil for not before the next byte of the answer.
    private(set) var next: ContinuousClock.Instant?

    init(_ start: ContinuousClock.Instant, silence: Duration) { (interval, next) = (silence / 2, start + pause) }

    mutating func recordBytes(at now: ContinuousClock.Instant) { (hasBegun, next) = (true, now + interval) }

    mutating func removeNext(at now: ContinuousClock.Instant) -> StaticString? {
        guard let next, next <= now else { return nil }
        if hasBegun {
            self.next = nil
            return Self.question
        }
        pause = min(pause * 2, EtcdTimings.longestSpacePause)
        self.next = now + pause
        return Self.space
    }
}

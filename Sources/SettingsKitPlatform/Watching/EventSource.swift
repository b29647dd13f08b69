import Dispatch

/// A dispatch source that is cancelled when it is let go of.
///
/// `@unchecked Sendable`: all that is stored is constant, and the functions of a dispatch source that are called here after
/// it was activated, `suspend`, `resume` and `cancel`, may be called on any thread; its handlers are set before only.
final class EventSource: @unchecked Sendable {
    private let source: any DispatchSourceProtocol
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - source: One that was not activated, made for `queue`.
    ///   - released: Called on the queue when no event will come any more: a descriptor can be closed now.
    ///   - handler: Called on the queue for each event.
    init(
        _ source: any DispatchSourceProtocol, queue: DispatchQueue, released: (@Sendable () -> Void)? = nil,
        handler: @escaping @Sendable (EventSource) -> Void
    ) {
        self.source = source
        self.queue = queue
        source.setEventHandler { [weak self] in
            if let self { handler(self) }
        }
        if let released { source.setCancelHandler(handler: released) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Lets events wait for a while.
    ///
    /// The source is kept until then: one that is let go of while it is suspended is a fault.
    func pause(for interval: DispatchTimeInterval) {
        source.suspend()
        queue.asyncAfter(deadline: .now() + interval) { self.source.resume() }
    }
}

#if canImport(Darwin)
    import Dispatch
    import Synchronization

    /// A dispatch source that is cancelled when it is released.
    final class EventSource: Sendable {
        private let source: Mutex<any DispatchSourceFileSystemObject>
        private let queue: DispatchQueue
        /// When ``limitRate(to:)`` was called last, in nanoseconds.
        private let lastEvent = Atomic<UInt64>(0)

        /// - Parameters:
        ///   - source: A source that was not activated, created for `queue`.
        ///   - released: Called on the queue when no more events will come: a descriptor can then be closed.
        ///   - handler: Called on the queue for each event.
        init(
            _ source: sending any DispatchSourceFileSystemObject, queue: DispatchQueue,
            released: (@Sendable () -> Void)? = nil,
            handler: @escaping @Sendable (EventSource) -> Void
        ) {
            self.source = Mutex(source, .leaf)
            self.queue = queue
            self.source.withLock { source in
                source.setEventHandler { [weak self] in
                    if let self { handler(self) }
                }
                if let released { source.setCancelHandler(handler: released) }
                source.activate()
            }
        }

        deinit { source.withLock { $0.cancel() } }

        /// Delays the next events if less than the interval has passed since the last call. Called by the handler.
        ///
        /// The source is kept until then: releasing a suspended source is a fault.
        ///
        /// - Parameter interval: Less than a second.
        func limitRate(to interval: Duration) {
            let interval = DispatchTimeInterval.nanoseconds(
                Int(clamping: interval.components.attoseconds / 1_000_000_000))
            let now = DispatchTime.now()
            let last = DispatchTime(uptimeNanoseconds: lastEvent.exchange(now.uptimeNanoseconds, ordering: .relaxed))
            guard now < last + interval else { return }
            source.withLock { $0.suspend() }
            queue.asyncAfter(deadline: now + interval) { self.source.withLock { $0.resume() } }
        }
    }
#endif

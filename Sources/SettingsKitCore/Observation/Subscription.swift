import Synchronization

extension SettingsService {
    /// A registered listener. It listens until ``cancel()`` is called or the subscription is released.
    ///
    /// Keep a reference to it. It keeps the service alive while it listens.
    public final class Subscription: Sendable {
        private let end: Mutex<(@Sendable () -> Void)?>

        /// Creates a subscription that calls `end` once, when it is cancelled or released.
        public init(_ end: @escaping @Sendable () -> Void) {
            self.end = Mutex(end, .leaf)
        }

        deinit { cancel() }

        /// Stops listening. No callback begins after this returns; one that is running on another thread may still finish. May be
        /// called from anywhere, also inside the callback, and more than once.
        public func cancel() {
            let end = end.withLock { end in
                defer { end = nil }
                return end
            }
            guard let end else { return }
            HeldLocks.requireNone(before: "the end of a subscription")
            end()
        }
    }
}

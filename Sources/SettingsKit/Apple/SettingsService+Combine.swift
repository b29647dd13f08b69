#if canImport(Combine)
    import Combine
    import SettingsCore
    import Synchronization

    extension SettingsService {
        /// The setting's current value, then the newest one each time that it has changed.
        ///
        /// Every subscriber gets the current value first. Values arrive on the thread that made the change, or on one that
        /// is already telling of others; use `receive(on:)` for views. Demand is not waited for.
        public func publisher<T>(_ setting: Setting<T>) -> AnyPublisher<T, Never> {
            Deferred {
                let relay = PublisherRelay { [self] in get(setting) }
                let subscription = observe(setting) { _ in relay.sendCurrentValue() }
                // Listening has begun before the first value is read: nothing in between is missed.
                return relay.subject
                    .handleEvents(
                        receiveSubscription: { _ in relay.sendCurrentValue() },
                        receiveCancel: { subscription.cancel() })
            }
            .eraseToAnyPublisher()
        }
    }

    // @unchecked: PassthroughSubject is thread-safe but not marked so, and is sent to by one thread at a time anyway.
    /// Sends the current value each time that it is told to, from one thread at a time, so that the last value sent is the
    /// last one read.
    private final class PublisherRelay<T: Sendable>: @unchecked Sendable {
        private struct State {
            var isSending = false
            var mustSend = false
        }

        let subject = PassthroughSubject<T, Never>()
        private let read: @Sendable () -> T
        private let state = Mutex(State())

        init(read: @escaping @Sendable () -> T) {
            self.read = read
        }

        func sendCurrentValue() {
            let begins = state.withLock { state in
                state.mustSend = true
                defer { state.isSending = true }
                return !state.isSending
            }
            guard begins else { return }
            while takesOrder() { subject.send(read()) }
        }

        private func takesOrder() -> Bool {
            state.withLock { state in
                state.isSending = state.mustSend
                state.mustSend = false
                return state.isSending
            }
        }
    }
#endif

#if canImport(Combine)
    import Combine
    import SettingsKitCore
    import Synchronization

    extension SettingsService {
        /// The setting's current value, then the newest one each time that it has changed.
        ///
        /// Every subscriber gets the current value first. Values arrive on the thread that made the change, or on one that
        /// is already telling of others; use `receive(on:)` for views. Demand is not waited for.
        public func publisher<T>(_ setting: Setting<T>) -> AnyPublisher<T, Never> {
            Deferred { [self] in
                let relay = PublisherRelay { self.get(setting) }
                let subscription = observe(setting) { _ in relay.sendCurrentValue() }
                // Now that listening has begun: what was set since the relay was made. Nobody has subscribed to it yet.
                relay.sendCurrentValue()
                return relay.subject.handleEvents(receiveCancel: { subscription.cancel() })
            }
            .eraseToAnyPublisher()
        }
    }

    extension Persister {
        /// The current value, then the newest one each time that it has changed; as ``SettingsService/publisher(_:)``.
        public var updatesPublisher: AnyPublisher<Value, Never> { service.publisher(setting) }
    }

    // @unchecked: CurrentValueSubject is thread-safe but not marked so, and is sent to by one thread at a time anyway.
    /// Sends the current value each time that it is told to, from one thread at a time, so that the last value sent is the
    /// last one read.
    private final class PublisherRelay<T: Sendable>: @unchecked Sendable {
        private struct State {
            var isSending = false
            var mustSend = false
        }

        let subject: CurrentValueSubject<T, Never>
        private let read: @Sendable () -> T
        private let state = Mutex(State())

        init(read: @escaping @Sendable () -> T) {
            self.read = read
            subject = CurrentValueSubject(read())
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

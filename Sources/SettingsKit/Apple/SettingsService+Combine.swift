#if canImport(Combine)
    // Combine does not mark its subjects `Sendable`, although any thread may send to them; see `PublisherRelay`.
    @preconcurrency import Combine
    import SettingsKitCore
    import Synchronization

    extension SettingsService {
        /// The setting's current value, then the newest value after each change.
        ///
        /// Every subscriber receives the current value first. Values arrive on the thread that made the change, or on
        /// one that is already delivering others; use `receive(on:)` for views. The publisher ignores demand.
        public func publisher<T>(_ setting: Setting<T>) -> AnyPublisher<T, Never> {
            Deferred { [self] in
                let relay = PublisherRelay { self.get(setting) }
                let subscription = observe(setting) { _ in relay.sendCurrentValue() }
                // Listening has begun: read changes since the relay was created. It has no subscriber yet.
                relay.sendCurrentValue()
                return relay.subject.handleEvents(receiveCancel: { subscription.cancel() })
            }
            .eraseToAnyPublisher()
        }
    }

    extension Persister {
        /// The current value, then the newest value after each change, as in ``SettingsService/publisher(_:)``.
        public var updatesPublisher: AnyPublisher<Value, Never> { service.publisher(setting) }
    }

    /// Sends the current value at each call, from one thread at a time, so that the last value sent is the last one
    /// read.
    private final class PublisherRelay<T: Sendable>: Sendable {
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

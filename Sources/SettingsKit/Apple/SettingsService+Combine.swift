#if canImport(Combine)
    // Combine does not mark its subjects `Sendable`, although any thread may send to them; see `PublisherRelay`.
    @preconcurrency import Combine
    import SettingsKitCore
    import Synchronization

    extension SettingsService {
        /// Publishes the setting's current value, then the newest value after each change.
        ///
        /// Every subscriber receives the current value first. Values arrive on the thread that made the change, or on one that is
        /// already delivering others; use `receive(on:)` for views. The publisher ignores demand.
        public func publisher<T>(_ setting: Setting<T>) -> AnyPublisher<T, Never> {
            PublisherRelay.publisher {
                self.get(setting)
            } observe: { update in
                self.observe(setting) { _ in update() }
            }
        }

        /// Publishes which of the given settings have changed, each time that one or more have; once for the changes of one
        /// transaction. It sends no initial element, sends on the thread that made the change, and ignores demand.
        public func publisher(
            of first: SettingDefinition, _ second: SettingDefinition, _ others: SettingDefinition...
        ) -> AnyPublisher<ChangeSet, Never> {
            let keys = Set([first.key, second.key] + others.map(\.key))
            return changeSets { send in
                // Observes all changes of the service, because a list of settings cannot be passed on.
                self.observe { changes in
                    if let changes = changes.limited(to: keys) { send(changes) }
                }
            }
        }

        /// Publishes which settings have changed in a scope, or in all scopes, each time that one or more have, including those
        /// that this program does not define. It sends no initial element, sends on the thread that made the change, and ignores
        /// demand.
        public func publisher(in scope: Scope? = nil) -> AnyPublisher<ChangeSet, Never> {
            changeSets { send in self.observe(in: scope, send) }
        }

        private func changeSets(
            _ observe: @escaping (@escaping @Sendable (ChangeSet) -> Void) -> Subscription
        ) -> AnyPublisher<ChangeSet, Never> {
            Deferred {
                // Any thread may send to a subject.
                nonisolated(unsafe) let subject = PassthroughSubject<ChangeSet, Never>()
                let subscription = observe { subject.send($0) }
                return subject.handleEvents(receiveCancel: { subscription.cancel() })
            }
            .eraseToAnyPublisher()
        }
    }

    extension SettingsStorage {
        /// Publishes the current record, then the newest record after each change of a field, as ``SettingsService/publisher(_:)``
        /// does.
        public var publisher: AnyPublisher<Record, Never> {
            PublisherRelay.publisher {
                self.get()
            } observe: { update in
                self.observe { _ in update() }
            }
        }
    }

    extension Persister {
        /// Publishes the current value, then the newest value after each change, as ``SettingsService/publisher(_:)`` does.
        public var publisher: AnyPublisher<Value, Never> { service.publisher(setting) }
    }

    /// Sends the current value at each call, from one thread at a time, so that the last value sent is the last one
    /// read.
    private final class PublisherRelay<T: Sendable>: Sendable {
        private struct State {
            var isSending = false
            var mustSend = false
        }

        // nonisolated(unsafe): a constant. One thread at a time sends, and Combine's subjects let any thread subscribe.
        nonisolated(unsafe) let subject: CurrentValueSubject<T, Never>
        private let read: @Sendable () -> T
        private let state = Mutex(State(), .leaf)

        init(read: @escaping @Sendable () -> T) {
            self.read = read
            subject = CurrentValueSubject(read())
        }

        /// Returns a publisher that begins to observe, for each subscriber, and then sends the current value.
        static func publisher(
            _ read: @escaping @Sendable () -> T,
            observe: @escaping (@escaping @Sendable () -> Void) -> SettingsService.Subscription
        ) -> AnyPublisher<T, Never> {
            Deferred {
                let relay = PublisherRelay(read: read)
                let subscription = observe { relay.sendCurrentValue() }
                // Listening has begun: read changes since the relay was created. It has no subscriber yet.
                relay.sendCurrentValue()
                return relay.subject.handleEvents(receiveCancel: { subscription.cancel() })
            }
            .eraseToAnyPublisher()
        }

        func sendCurrentValue() {
            let begins = state.withLock { state in
                state.mustSend = true
                defer { state.isSending = true }
                return !state.isSending
            }
            guard begins else { return }
            HeldLocks.requireNone(before: "a subscriber")
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

import Synchronization

extension SettingsService {
    /// An asynchronous sequence of values, of changes or of errors.
    ///
    /// It costs no thread, never fails, ends when the task that iterates is cancelled, and holds a bounded number of
    /// elements. Listening begins when the sequence is made, not when it is first iterated. Each iteration gets all the
    /// elements: two loops over one sequence do not share. An iterator belongs to one task at a time.
    public struct Stream<Element: Sendable>: AsyncSequence, Sendable {
        /// A stream never fails.
        public typealias Failure = Never

        package typealias Next = @Sendable () async -> Element?

        private let start: @Sendable () -> Next
        private let first: FirstListener<Next>

        /// - Parameter start: Begins to listen, and answers the function that gives one element after the other.
        package init(_ start: @escaping @Sendable () -> Next) {
            self.start = start
            first = FirstListener(start())
        }

        /// Begins an iteration. The first one gets what has come since the sequence was made.
        public func makeAsyncIterator() -> Iterator {
            Iterator(produce: first.take() ?? start())
        }

        /// Iterates over a ``SettingsService/Stream``.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let produce: @Sendable () async -> Element?

            /// The next element; nil once the task is cancelled.
            public mutating func next() async -> Element? {
                await produce()
            }

            /// The next element; nil once the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                await produce()
            }
        }
    }
}

/// The listener that began together with the sequence, until the first iteration takes it.
private final class FirstListener<Next: Sendable>: Sendable {
    private let listener: Mutex<Next?>

    init(_ listener: Next) {
        self.listener = Mutex(listener, .leaf)
    }

    func take() -> Next? {
        listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
    }
}

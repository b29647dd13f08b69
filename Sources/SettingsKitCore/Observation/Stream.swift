import Synchronization

extension SettingsService {
    /// An asynchronous sequence of values, of changes or of errors.
    ///
    /// It uses no thread, never fails, ends when the iterating task is cancelled, and holds a bounded number of elements. Listening
    /// begins when the sequence is created, not at the first iteration. Each iteration receives all elements: two loops over one
    /// sequence do not share them. An iterator belongs to one task at a time.
    public struct Stream<Element: Sendable>: AsyncSequence, Sendable {
        /// A stream never fails.
        public typealias Failure = Never

        package typealias Next = @Sendable () async -> Element?

        private let start: @Sendable () -> Next
        private let first: FirstListener<Next>

        /// - Parameter start: Begins to listen, and returns the function that returns one element after the other.
        package init(_ start: @escaping @Sendable () -> Next) {
            self.start = start
            first = FirstListener(start())
        }

        /// Begins an iteration. The first one receives all elements since the sequence was created.
        public func makeAsyncIterator() -> Iterator {
            Iterator(produce: first.take() ?? start())
        }

        /// Iterates over a ``SettingsService/Stream``.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let produce: @Sendable () async -> Element?

            /// Returns the next element; nil once the task is cancelled.
            public mutating func next() async -> Element? {
                await produce()
            }

            /// Returns the next element; nil once the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                await produce()
            }
        }
    }
}

/// Holds the listener that was created together with the sequence, until the first iteration takes it.
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

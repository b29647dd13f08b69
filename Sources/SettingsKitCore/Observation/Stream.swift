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

extension SettingsService.Stream {
    /// Begins to listen, and returns a function that reads a setting or a record: at once, then once for each commit that was not
    /// read yet.
    ///
    /// A signal carries only the number of a commit. The value is read when the reader asks for it, so it is never an old one.
    ///
    /// - Parameters:
    ///   - read: Returns the current value.
    ///   - sequence: Returns the number of the last commit.
    ///   - listen: Passes on the number of each commit that has changed the value.
    static func values(
        _ read: @escaping @Sendable () -> Element, at sequence: @escaping @Sendable () -> UInt64,
        listen: (_ signal: @escaping @Sendable (UInt64) -> Void) -> SettingsService.Subscription
    ) -> Next {
        let source = StreamSource<UInt64>(limit: 1) { Swift.max($0, $1) }
        // Listening begins before the first value is read, so no change in between is missed.
        let next = source.elements(from: listen { source.push($0) })
        let seen = LastCommit()
        source.push(UInt64.max)
        return {
            while let signal = await next() {
                // The value that is read now includes every commit up to this number.
                let last = sequence()
                if signal <= seen.number.load(ordering: .relaxed) { continue }
                seen.number.store(last, ordering: .relaxed)
                return read()
            }
            return nil
        }
    }
}

/// The last commit that an iterator has read. One task at a time changes it.
private final class LastCommit: Sendable {
    let number = Atomic<UInt64>(0)
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

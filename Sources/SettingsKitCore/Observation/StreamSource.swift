import Synchronization

/// A bounded buffer between threads that push and one task that pulls.
///
/// It uses no thread: a puller that finds nothing suspends. When the buffer is full, a new element is merged into the last one, so
/// a slow reader never makes the buffer grow, and still ends on the newest element.
package final class StreamSource<Element: Sendable>: Sendable {
    private struct State {
        /// The elements before `head` have been pulled. They are nil, because elements are not released inside the lock.
        var buffer: [Element?] = []
        var head = 0
        var waiter: CheckedContinuation<Element?, Never>?
        var hasEnded = false

        var count: Int { buffer.count - head }

        mutating func popFirst() -> Element? {
            guard head < buffer.count else { return nil }
            defer {
                buffer[head] = nil
                head += 1
                if head == buffer.count {
                    buffer.removeAll(keepingCapacity: true)
                    head = 0
                } else if head >= 512 {
                    buffer.removeFirst(head)
                    head = 0
                }
            }
            return buffer[head]
        }
    }

    private let limit: Int
    private let merge: @Sendable (_ last: Element, _ newer: Element) -> Element
    private let state = Mutex(State(), .leaf)

    /// - Parameters:
    ///   - limit: The maximum number of waiting elements; at least one.
    ///   - merge: Merges the last waiting element and a newer one.
    package init(limit: Int, merge: @escaping @Sendable (_ last: Element, _ newer: Element) -> Element) {
        self.limit = limit
        self.merge = merge
    }

    package func push(_ element: Element) {
        let (waiter, replaced): (CheckedContinuation<Element?, Never>?, Element?) = state.withLock { state in
            if state.hasEnded { return (nil, nil) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, nil)
            }
            guard state.count >= limit, let last = state.buffer.last, let last else {
                state.buffer.append(element)
                return (nil, nil)
            }
            state.buffer[state.buffer.count - 1] = merge(last, element)
            return (nil, last)
        }
        withExtendedLifetime(replaced) {}
        resume(waiter, returning: element)
    }

    /// Ends the sequence; a waiting reader receives nil.
    package func end() {
        let (waiter, left) = state.withLock { state in
            defer { (state.waiter, state.buffer, state.head, state.hasEnded) = (nil, [], 0, true) }
            return (state.waiter, state.buffer)
        }
        withExtendedLifetime(left) {}
        resume(waiter, returning: nil)
    }

    private func resume(_ waiter: CheckedContinuation<Element?, Never>?, returning element: Element?) {
        guard let waiter else { return }
        HeldLocks.requireNone(before: "the executor of a reader")
        waiter.resume(returning: element)
    }

    /// Returns the next element, in the order of pushing; nil if the sequence has ended or the calling task is cancelled.
    package func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if state.hasEnded || state.count > 0 { return false }
                    precondition(state.waiter == nil, "An iterator of a settings stream belongs to one task at a time.")
                    state.waiter = continuation
                    return true
                }
                if !isWaiting { continuation.resume(returning: state.withLock { $0.popFirst() }) }
            }
        } onCancel: {
            end()
        }
    }
}

/// Ends a source when nothing pulls from it any longer.
package final class StreamOwner<Element: Sendable>: Sendable {
    private let source: StreamSource<Element>
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: Stops the pushing.
    package init(_ source: StreamSource<Element>, onEnd: @escaping @Sendable () -> Void) {
        self.source = source
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
        source.end()
    }

    package func next() async -> Element? { await source.next() }
}

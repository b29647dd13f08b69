import Synchronization

/// A bounded buffer between threads that push and one task that pulls.
///
/// It uses no thread: a puller that finds nothing suspends. When the buffer is full, a new element is merged into the last one, so
/// a slow reader never makes the buffer grow, and still ends on the newest element.
package final class StreamSource<Element: Sendable>: Sendable {
    private struct State {
        var buffer: [Element] = []
        var waiter: CheckedContinuation<Element?, Never>?
        var hasEnded = false
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
        // The replaced element is released outside the lock.
        let (waiter, replaced): (CheckedContinuation<Element?, Never>?, Element?) = state.withLock { state in
            if state.hasEnded { return (nil, nil) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, nil)
            }
            guard state.buffer.count >= limit, let last = state.buffer.last else {
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
            defer { (state.waiter, state.buffer, state.hasEnded) = (nil, [], true) }
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
                let (isWaiting, element): (Bool, Element?) = state.withLock { state in
                    if state.hasEnded { return (false, nil) }
                    if !state.buffer.isEmpty { return (false, state.buffer.removeFirst()) }
                    precondition(state.waiter == nil, "An iterator of a settings stream belongs to one task at a time.")
                    state.waiter = continuation
                    return (true, nil)
                }
                if !isWaiting { continuation.resume(returning: element) }
            }
        } onCancel: {
            end()
        }
    }

    /// Returns a function that returns one element after the other.
    ///
    /// - Parameter subscription: What pushes the elements. It ends when the function is released.
    package func elements(from subscription: SettingsService.Subscription) -> SettingsService.Stream<Element>.Next {
        {
            defer { withExtendedLifetime(subscription) {} }
            return await self.next()
        }
    }
}

import Dispatch
import Synchronization

/// Changes that listeners append, and that the thread of a command takes.
package final class ChangeQueue<Change: Sendable>: Sendable {
    private struct State {
        /// A slice: the first is removed in constant time.
        var changes: ArraySlice<Change> = []
        var droppedCount = 0
    }

    private let state = Mutex(State(), .leaf)
    /// Signaled when the first change is appended.
    private let available = DispatchSemaphore(value: 0)

    /// The number of changes that wait at most, for an output that is read slowly. The oldest are dropped.
    static var limit: Int { 10_000 }
    /// How often to find out whether the output is still read, while there are no changes.
    private static var pause: DispatchTimeInterval { .milliseconds(200) }

    package init() {}

    package func append(_ change: Change) {
        let isFirst = state.withLock { state in
            if state.changes.count == Self.limit {
                state.changes.removeFirst()
                state.droppedCount += 1
            }
            state.changes.append(change)
            return state.changes.count == 1
        }
        if isFirst { available.signal() }
    }

    /// Takes all changes that wait, the oldest first; waits for one. Reports how many before them were dropped.
    ///
    /// - Throws: if the output is closed while there are no changes.
    package func take(while streams: CommandStreams) throws -> ArraySlice<Change> {
        while available.wait(timeout: .now() + Self.pause) == .timedOut { try streams.requireOpenOutput() }
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        if taken.droppedCount > 0 {
            streams.report("\(taken.droppedCount) changes are left out here, because the output is read too slowly.")
        }
        return taken.changes
    }

    /// Prints changes as they come, until a number of them is printed or the output is closed.
    ///
    /// - Parameters:
    ///   - limit: The number.
    ///   - line: The text of a change, with its line break.
    package func print(_ limit: Int, to streams: CommandStreams, line: (Change) -> String) throws {
        var rest = limit
        while rest > 0 {
            let changes = try take(while: streams).prefix(rest)
            rest -= changes.count
            // Many changes at once are printed together: writing each by itself would take longer than storing it.
            var text = ""
            for change in changes {
                text += line(change)
                if text.utf8.count > 65_536 {
                    try streams.print(text)
                    text = ""
                }
            }
            if !text.isEmpty { try streams.print(text) }
        }
    }
}

import Dispatch
import Synchronization

/// Changes that listeners append, and that a command's thread removes.
package final class ChangeQueue<Change: Sendable>: Sendable {
    private struct State {
        /// A slice: the first is removed in constant time.
        var changes: ArraySlice<Change> = []
        var droppedCount = 0
    }

    private let state = Mutex(State(), .leaf)
    /// Signaled when the first change is appended.
    private let available = DispatchSemaphore(value: 0)

    package init() {}

    package func append(_ change: Change) {
        let isFirst = state.withLock { state in
            if state.changes.count == CommandLimits.waitingChanges {
                state.changes.removeFirst()
                state.droppedCount += 1
            }
            state.changes.append(change)
            return state.changes.count == 1
        }
        if isFirst { available.signal() }
    }

    /// Waits for a change, and removes all, the oldest first. Reports how many earlier ones were dropped.
    ///
    /// - Throws: if the output is closed while there are no changes.
    package func removeAll(while streams: CommandStreams) throws -> ArraySlice<Change> {
        while available.wait(timeout: .now() + CommandLimits.outputCheck) == .timedOut {
            try streams.requireOpenOutput()
        }
        let removed = state.withLock { state in
            defer { state = State() }
            return state
        }
        if removed.droppedCount > 0 {
            streams.report("\(removed.droppedCount) changes are missing here: the output is read too slowly.")
        }
        return removed.changes
    }

    /// Prints changes until a number of them is printed or the output is closed.
    ///
    /// - Parameters:
    ///   - limit: The number.
    ///   - line: The text of a change, with its line break.
    package func print(_ limit: Int, to streams: CommandStreams, line: (Change) -> String) throws {
        var rest = limit
        while rest > 0 {
            let changes = try removeAll(while: streams).prefix(rest)
            rest -= changes.count
            try streams.print(lines: changes, line)
        }
    }
}

import Dispatch
import Synchronization

/// Changes that listeners append, and that a command's thread prints.
final class ChangeQueue<Change: Sendable>: Sendable {
    private let state = Mutex<(changes: [Change], droppedCount: Int)>(([], 0), .leaf)
    /// Signaled when the first change is appended.
    private let available = DispatchSemaphore(value: 0)

    /// Appends a change. If too many wait, drops them, so that a slow output takes bounded memory.
    func append(_ change: Change) {
        let isFirst = state.withLock { state in
            let isFirst = state.changes.isEmpty
            if state.changes.count == CommandLimits.waitingChanges {
                state.droppedCount += state.changes.count
                state.changes = []
            }
            state.changes.append(change)
            return isFirst
        }
        if isFirst { available.signal() }
    }

    /// Prints changes until a number of them is printed, and reports how many were dropped.
    ///
    /// - Parameters:
    ///   - limit: The number.
    ///   - line: The text of a change, with its line break.
    func print(_ limit: Int, to streams: CommandStreams, line: (Change) -> String) throws {
        var rest = limit
        while rest > 0 {
            available.wait()
            let (changes, droppedCount) = state.withLock { state in
                defer { state = ([], 0) }
                return state
            }
            if droppedCount > 0 {
                streams.report("\(droppedCount) changes are missing here: the output is read too slowly.")
            }
            try streams.print(lines: changes.prefix(rest), line)
            rest -= changes.count
        }
    }
}

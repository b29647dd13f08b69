import Dispatch
import Synchronization

/// Changes that listeners append, and that the thread of a command takes.
package final class ChangeQueue<Change: Sendable>: Sendable {
    private let changes = Mutex<[Change]>([], .leaf)
    private let available = DispatchSemaphore(value: 0)

    /// The number of changes that wait at most, for an output that is read slowly. The oldest are dropped.
    private static var limit: Int { 10_000 }
    /// How often to find out whether the output is still read, while there are no changes.
    private static var pause: DispatchTimeInterval { .milliseconds(200) }

    package init() {}

    package func append(_ change: Change) {
        let isFull = changes.withLock { changes in
            let isFull = changes.count == Self.limit
            if isFull { changes.removeFirst() }
            changes.append(change)
            return isFull
        }
        if !isFull { available.signal() }
    }

    /// The oldest change that was not taken yet; waits for it.
    ///
    /// - Throws: if the output is closed while there are no changes.
    package func next(while streams: CommandStreams) throws -> Change {
        while available.wait(timeout: .now() + Self.pause) == .timedOut { try streams.requireOpenOutput() }
        return changes.withLock { $0.removeFirst() }
    }
}

import Dispatch
import Synchronization

/// A dispatch source that is cancelled when it is released.
final class EventSource: Sendable {
    #if canImport(Darwin)
        typealias Source = any DispatchSourceFileSystemObject
    #else
        typealias Source = any DispatchSourceRead
    #endif

    private let source: Mutex<Source>

    /// - Parameters:
    ///   - source: A source that was not activated.
    ///   - released: Called when no more events will come: a descriptor can then be closed.
    ///   - handler: Called on the source's queue for each event.
    init(
        _ source: sending Source, released: @escaping @Sendable () -> Void,
        handler: @escaping @Sendable () -> Void
    ) {
        source.setEventHandler {
            handler()
            // The system merges events that wait, if they are alike.
            ThreadPause.sleep(for: PlatformTimings.eventPause)
        }
        source.setCancelHandler(handler: released)
        source.activate()
        self.source = Mutex(source, .leaf)
    }

    deinit { source.withLock { $0.cancel() } }
}

import Foundation

@testable import SettingsKitPlatform

/// Collects the events that the handler of a watch receives, and waits for them.
final class WatchedEvents: Sendable {
    typealias Event = DirectoryWatcher.Event

    private let log = Recorder<Event>()
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// All events until now.
    var all: [Event] { log.all }

    func append(_ event: Event) {
        log.append(event)
        continuation.yield(event)
    }

    /// Waits for an event, and leaves out those before it. Only one at a time may wait.
    func wait(for event: Event) async {
        for await next in stream where next == event { return }
    }

    /// Writes a file until only its events arrive: all earlier events have arrived then.
    ///
    /// A change that is looked at together with one on the directory's path is within its ``Event/unknown``.
    func settle(_ directory: String, _ name: String = "end") async throws {
        for number in 0..<1_000 {
            try write("\(number)", to: "\(directory)/\(name)")
            for await next in stream {
                if next == .changed(name: name) { return }
                break
            }
        }
        throw SystemError(call: "watch", path: directory, number: ETIMEDOUT)
    }
}

extension DirectoryWatcher {
    /// A watch that must be possible.
    func watch(_ directory: String, names: Set<String> = ["a", "end"], _ events: WatchedEvents) throws -> Watch {
        guard let watch = watch(directory, names: names, handler: { events.append($0) }) else {
            throw SystemError(call: "watch", path: directory, number: errno)
        }
        return watch
    }
}

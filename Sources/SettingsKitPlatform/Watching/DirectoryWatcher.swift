import Synchronization

#if canImport(Darwin)
    import Dispatch
#endif

/// Reports changes in a directory.
///
/// The directory may be missing. Its path is also watched, so that the watcher reports when the directory is created, removed,
/// moved or replaced, and then watches the new directory. On Linux, other files in the directories above it wake no thread,
/// unless the directory is missing or empty. On Darwin, only the nearest existing directory is watched, not those above it.
///
/// Any thread may use it.
package final class DirectoryWatcher: Sendable {
    package enum Event: Sendable, Equatable {
        /// An entry was created, written and closed, touched, renamed or removed, or its attributes were changed.
        case changed(name: String)
        /// Any change may have happened: events were lost; the directory itself has appeared, or was removed, renamed or
        /// unmounted, or something on its path was; or it can no longer be watched.
        case unknown
    }

    /// The watcher of the process: a user has few inotify instances, 128 of them by default.
    package static let shared = DirectoryWatcher()

    #if canImport(Darwin)
        /// The queue for reading events and calling handlers.
        let queue = DispatchQueue(label: "SettingsKit.DirectoryWatcher")
    #endif
    private let table: Mutex<WatchTable>

    convenience init() { self.init(observer: PathObserver()) }

    init(observer: sending PathObserver) { table = Mutex(WatchTable(observer: observer), .leaf) }

    /// Begins to watch.
    ///
    /// Reports changes that are made after this returns, and possibly earlier ones. A change at about the same time as one on the
    /// directory's path is not reported separately: an ``Event/unknown`` covers all of them.
    ///
    /// - Parameters:
    ///   - directory: An absolute path. Symbolic links in it are followed.
    ///   - names: The entries whose changes are reported to the handler; nil for all.
    ///   - handler: Called on a thread of the watcher, one call after the other, for all watches: it must be quick. It may call
    ///     the functions of this type. Kept until the watch is cancelled, so it should not own an object that owns the watch.
    /// - Returns: nil where watching is not possible, because the process has no descriptors, or the user no inotify
    ///   instances or watches left, or the directory must not be read: the caller then polls.
    package func watch(
        _ directory: String, names: Set<String>?, handler: @escaping @Sendable (Event) -> Void
    ) -> Watch? {
        let subscription = Subscription(path: directory, names: names, handler: handler)
        // The system's calls are made under the lock, so that the table never contradicts the system.
        let id = table.withLock { $0.add(subscription, watcher: self) }
        return id.map { Watch(id: $0, subscription: subscription, watcher: self) }
    }

    fileprivate func cancel(_ id: WatchID) { table.withLock { $0.remove(id) } }

    /// Calls the handlers. Called for one batch of events after another.
    func receive(_ events: [PathObserver.Event]) {
        let deliveries = table.withLock { $0.apply(events, watcher: self) }
        for (subscription, event) in deliveries { subscription.call(event) }
    }

    /// A watch that continues until it is cancelled or released.
    package final class Watch: Sendable {
        private let id: WatchID
        private let subscription: Subscription
        private let watcher: DirectoryWatcher

        fileprivate init(id: WatchID, subscription: Subscription, watcher: DirectoryWatcher) {
            self.id = id
            self.subscription = subscription
            self.watcher = watcher
        }

        deinit { cancel() }

        /// Ends the watch. Afterwards no call of the handler begins, except one that may be running, or about to run, on another
        /// thread.
        package func cancel() {
            subscription.end()
            watcher.cancel(id)
        }

        /// False after the watch was cancelled, or could not be renewed when something on the directory's path had changed:
        /// then the handler received a last ``Event/unknown``, and receives no more events. The caller polls.
        ///
        /// Takes no lock.
        package var isWorking: Bool { subscription.isWorking }
    }
}

/// Identifies a watch among all watches of its watcher.
typealias WatchID = UInt64

/// The path, the names and the handler of a watch.
final class Subscription: Sendable {
    let path: String
    /// Nil: all.
    let names: Set<String>?
    private let handler: Mutex<Handler?>
    private let working = Atomic(true)

    init(path: String, names: Set<String>?, handler: @escaping @Sendable (DirectoryWatcher.Event) -> Void) {
        self.path = path
        self.names = names
        self.handler = Mutex(Handler(call: handler), .leaf)
    }

    // An object, because a closure that is copied out of a generic type is wrapped again each time.
    private final class Handler: Sendable {
        let call: @Sendable (DirectoryWatcher.Event) -> Void

        init(call: @escaping @Sendable (DirectoryWatcher.Event) -> Void) { self.call = call }
    }

    var isWorking: Bool { working.load(ordering: .acquiring) }

    func call(_ event: DirectoryWatcher.Event) {
        handler.withLock { $0 }?.call(event)
    }

    /// Records that the watch could not be renewed. The handler can still be called.
    func fail() { working.store(false, ordering: .releasing) }

    /// Releases the handler.
    func end() {
        fail()
        // Outside of the lock: the handler may own the last reference to an object.
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        withExtendedLifetime(handler) {}
    }
}

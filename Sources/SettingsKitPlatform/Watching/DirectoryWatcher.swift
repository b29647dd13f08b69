import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reports changes in a directory.
///
/// The directory may be missing. The watcher reports when it is created, removed, moved or replaced, and then watches the new
/// directory. It does not report that a directory above the next one was moved or replaced: ``ChangeMonitor`` compares the
/// directories from time to time.
///
/// Any thread may use it.
package final class DirectoryWatcher: Sendable {
    package enum Event: Sendable, Equatable {
        /// An entry was created, written and closed, touched, renamed or removed, or its attributes were changed.
        case changed(name: String)
        /// Any change may have happened: events were lost; the directory has appeared, or was removed, renamed or unmounted; or
        /// it can no longer be watched.
        case unknown
    }

    /// The watcher of the process: a user has few inotify instances, 128 of them by default.
    package static let shared = DirectoryWatcher()

    /// The change of a directory that a watch concerns.
    enum Change {
        case entry(String)
        /// The directory may be another one now.
        case directory
    }

    private struct State {
        var observer = PathObserver()
        var subscriptions: [WatchID: Subscription] = [:]
        var lastID: WatchID = 0

        /// Watches the directory that is now at the path.
        mutating func renew(_ id: WatchID, _ subscription: Subscription, watcher: DirectoryWatcher) {
            do throws(SystemError) {
                try observer.observe(subscription, for: id, watcher: watcher)
            } catch {
                // The caller now polls, and thereby finds the reason. It is told once more.
                subscription.fail()
                subscriptions[id] = nil
                observer.forget(id)
            }
        }
    }

    /// The queue for reading events and calling handlers.
    let queue = DispatchQueue(label: "SettingsKit.DirectoryWatcher")
    private let state = Mutex(State(), .leaf)

    init() {}

    /// Begins to watch.
    ///
    /// Reports changes that are made after this returns, and possibly earlier ones. A change at about the same time as one of the
    /// directory itself is not reported separately: an ``Event/unknown`` covers both.
    ///
    /// - Parameters:
    ///   - directory: An absolute path. Symbolic links in it are followed.
    ///   - names: The entries whose changes are reported to the handler; nil for all.
    ///   - handler: Called on the watcher's queue, one call after the other, for all watches: it must be quick. It may call the
    ///     functions of this type. It should not own an object that owns the watch.
    /// - Returns: nil where watching is not possible, because the process has no descriptors, or the user no inotify
    ///   instances or watches left, or the directory must not be read: the caller then polls.
    package func watch(
        _ directory: String, names: Set<String>?, handler: @escaping @Sendable (Event) -> Void
    ) -> Watch? {
        let subscription = Subscription(path: directory, names: names, handler: handler)
        // The system's calls are made under the lock, so that the table never contradicts the system.
        let id = state.withLock { state -> WatchID? in
            state.lastID += 1
            do throws(SystemError) {
                try state.observer.observe(subscription, for: state.lastID, watcher: self)
            } catch {
                // The reason does not matter: the caller polls in any case.
                state.observer.forget(state.lastID)
                return nil
            }
            state.subscriptions[state.lastID] = subscription
            return state.lastID
        }
        return id.map { Watch(id: $0, subscription: subscription, watcher: self) }
    }

    fileprivate func cancel(_ id: WatchID) {
        // The watch keeps the subscription: the lock must not be held while an object of the caller is released.
        state.withLock { state in
            guard state.subscriptions.removeValue(forKey: id) != nil else { return }
            state.observer.forget(id)
        }
    }

    /// Calls the handlers. Called on the queue.
    func receive(_ events: [PathObserver.Event]) {
        var deliveries: [(subscription: Subscription, event: Event)] = []
        state.withLock { state in
            for event in events {
                for (id, change) in state.observer.changes(of: event, all: state.subscriptions.keys) {
                    guard let subscription = state.subscriptions[id] else { continue }
                    var event = Event.unknown
                    if case .entry(let name) = change {
                        event = .changed(name: name)
                    } else {
                        state.renew(id, subscription, watcher: self)
                    }
                    if !deliveries.contains(where: { $0.subscription === subscription && $0.event == event }) {
                        deliveries.append((subscription, event))
                    }
                }
            }
        }
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

        /// False after the watch was cancelled, or could not be renewed: then the handler received a last ``Event/unknown``, and
        /// receives no more events. The caller polls.
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
    private let handler: @Sendable (DirectoryWatcher.Event) -> Void
    private let hasEnded = Atomic(false)
    private let working = Atomic(true)

    init(path: String, names: Set<String>?, handler: @escaping @Sendable (DirectoryWatcher.Event) -> Void) {
        (self.path, self.names, self.handler) = (path, names, handler)
    }

    var isWorking: Bool { working.load(ordering: .acquiring) }

    func call(_ event: DirectoryWatcher.Event) { if !hasEnded.load(ordering: .acquiring) { handler(event) } }

    /// Records that the watch could not be renewed. The handler can still be called.
    func fail() { working.store(false, ordering: .releasing) }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        fail()
    }

    /// Requests events until the directory is watched, or the nearest existing directory above it for the next name on the way.
    ///
    /// - Parameter request: Watches a directory, for one name if there is one.
    func place(
        _ request: (_ directory: String, _ name: String?) throws(SystemError) -> Void
    ) throws(SystemError) {
        /// Returns whether the directory exists.
        func watch(_ directory: String, _ name: String?) throws(SystemError) -> Bool {
            do throws(SystemError) {
                try request(directory, name)
                return true
            } catch {
                if error.number == ENOENT || error.number == ENOTDIR { return false }
                // A directory above that must not be read is no hindrance.
                guard name != nil, error.number == EACCES else { throw error }
                return true
            }
        }
        var path = path
        for _ in 0..<PlatformLimits.racingAttempts {
            let (above, name) = WholeFile.split(path)
            // First the name: what appears there afterwards is reported.
            if try !watch(above, name) {
                path = above
            } else if path == self.path {
                _ = try watch(path, nil)
                return
            } else if try POSIXFileSystem().status(of: path, followingLink: true)?.kind != .directory {
                return
            } else {
                // It has appeared meanwhile.
                path = self.path
            }
        }
        throw SystemError(call: "watch", path: path, number: EAGAIN)
    }
}

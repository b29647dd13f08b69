#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The watches of a watcher, and the events requested from the system for them.
struct WatchTable {
    /// A change for one watch.
    enum Change: Equatable {
        /// Something in its directory.
        case entry(String)
        /// Something on the way to its directory, or the directory itself: it may be elsewhere now.
        case path
        /// Nothing yet, but other events have to be requested.
        case needs
        /// Unknown: events were lost.
        case lost
    }

    private struct Entry {
        let subscription: Subscription
        /// Whether the directory exists, as far as is known.
        var isThere = false
    }

    private var observer: PathObserver
    private var entries: [WatchID: Entry] = [:]
    private var lastID: WatchID = 0

    init(observer: sending PathObserver) { self.observer = observer }

    /// - Returns: nil if it cannot be watched.
    mutating func add(_ subscription: Subscription, watcher: DirectoryWatcher) -> WatchID? {
        lastID += 1
        let id = lastID
        entries[id] = Entry(subscription: subscription)
        do throws(SystemError) {
            _ = try place(id, watcher: watcher)
            return id
        } catch {
            // The reason does not matter: the caller polls in any case.
            remove(id)
            return nil
        }
    }

    mutating func remove(_ id: WatchID) {
        // The watch itself, or the caller that adds it, keeps the subscription: the lock must not be held while an object of the
        // caller is released.
        guard entries.removeValue(forKey: id) != nil else { return }
        observer.forget(id)
    }

    /// Renews the watches whose directories may have moved.
    ///
    /// - Returns: The events to deliver, each once, after all changes that it covers.
    mutating func apply(
        _ events: [PathObserver.Event], watcher: DirectoryWatcher
    ) -> [(Subscription, DirectoryWatcher.Event)] {
        var deliveries = Deliveries()
        for event in events {
            for (id, change) in observer.changes(of: event, all: entries.keys) {
                apply(change, to: id, watcher: watcher, &deliveries)
            }
        }
        return deliveries.all
    }

    private mutating func apply(
        _ change: Change, to id: WatchID, watcher: DirectoryWatcher, _ deliveries: inout Deliveries
    ) {
        guard let entry = entries[id] else { return }
        if case .entry(let name) = change {
            deliveries.add(.changed(name: name), id, entry.subscription)
            return
        }
        do throws(SystemError) {
            let isElsewhere = try place(id, watcher: watcher)
            let isThere = entries[id]?.isThere == true
            if change == .needs && !isElsewhere { return }
            if change == .lost || entry.isThere || isThere { deliveries.add(.unknown, id, entry.subscription) }
        } catch {
            // The caller now polls, and thereby finds the reason.
            entry.subscription.fail()
            deliveries.add(.unknown, id, entry.subscription)
            remove(id)
        }
    }

    /// Requests the events that the watch needs from the system.
    ///
    /// - Returns: whether the path leads elsewhere than before.
    private mutating func place(_ id: WatchID, watcher: DirectoryWatcher) throws(SystemError) -> Bool {
        guard let subscription = entries[id]?.subscription else { return false }
        var isElsewhere = false
        // The path may change between looking it up and watching it. So it is looked up again afterwards, when later changes are
        // reported.
        var problem = SystemError(call: "watch", path: subscription.path, number: EAGAIN)
        for _ in 0..<PlatformLimits.racingAttempts {
            do throws(SystemError) {
                let location = try WatchLocation.find(subscription.path)
                let hasMoved = try observer.observe(location, names: subscription.names, for: id, watcher: watcher)
                isElsewhere = isElsewhere || hasMoved
                if try WatchLocation.find(subscription.path) == location {
                    entries[id]?.isThere = location.directory != nil
                    return isElsewhere
                }
            } catch {
                guard [ENOENT, ENOTDIR, EINVAL].contains(error.number) else { throw error }
                isElsewhere = true
                problem = error
            }
        }
        throw problem
    }

    /// The events to deliver, by watch, in the order of the watches' first events.
    private struct Deliveries {
        private var order: [(id: WatchID, subscription: Subscription)] = []
        private var events: [WatchID: [DirectoryWatcher.Event]] = [:]

        mutating func add(_ event: DirectoryWatcher.Event, _ id: WatchID, _ subscription: Subscription) {
            guard let present = events[id] else {
                order.append((id, subscription))
                events[id] = [event]
                return
            }
            // An unknown event covers every other event.
            if present == [.unknown] || present.contains(event) { return }
            events[id] = event == .unknown ? [event] : present + [event]
        }

        var all: [(Subscription, DirectoryWatcher.Event)] {
            order.flatMap { watch in events[watch.id, default: []].map { (watch.subscription, $0) } }
        }
    }
}

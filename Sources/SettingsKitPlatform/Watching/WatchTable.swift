#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The watches of a watcher, and what the system was asked to tell for them.
struct WatchTable {
    /// What has happened to one watch.
    enum Change: Equatable {
        /// Something in its directory.
        case entry(String)
        /// Something on the way to its directory, or the directory itself: it may be elsewhere now.
        case path
        /// Nobody knows.
        case lost
    }

    private struct Entry {
        let subscription: Subscription
        /// Whether the directory is there, as far as it is known.
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
            try place(id, watcher: watcher)
            return id
        } catch {
            // Why does not matter: whatever it was, the caller polls.
            remove(id)
            return nil
        }
    }

    mutating func remove(_ id: WatchID) {
        // The watch itself, or whoever adds it, keeps the subscription: nothing of the caller's is let go of in the lock.
        guard entries.removeValue(forKey: id) != nil else { return }
        observer.forget(id)
    }

    /// Renews the watches whose directories may be elsewhere.
    ///
    /// - Returns: what is to be told, each event once: it is told after all of what it stands for has happened.
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
            try place(id, watcher: watcher)
            let isThere = entries[id]?.isThere == true
            if change == .lost || entry.isThere || isThere { deliveries.add(.unknown, id, entry.subscription) }
        } catch {
            // The caller polls from now on, and learns from that whatever is the matter.
            entry.subscription.fail()
            deliveries.add(.unknown, id, entry.subscription)
            remove(id)
        }
    }

    /// Asks the system to tell what the watch wants to know.
    private mutating func place(_ id: WatchID, watcher: DirectoryWatcher) throws(SystemError) {
        guard let subscription = entries[id]?.subscription else { return }
        // Something may change between looking where the path leads and watching it. So it is looked at again afterwards:
        // what has changed since is told.
        var problem = SystemError(call: "watch", path: subscription.path, number: EAGAIN)
        for _ in 0..<100 {
            do throws(SystemError) {
                let location = try WatchLocation.find(subscription.path)
                try observer.observe(location, names: subscription.names, for: id, watcher: watcher)
                if try WatchLocation.find(subscription.path) == location {
                    entries[id]?.isThere = location.directory != nil
                    return
                }
            } catch {
                guard [ENOENT, ENOTDIR, EINVAL].contains(error.number) else { throw error }
                problem = error
            }
        }
        throw problem
    }

    /// What is to be told, in the order in which it is first heard of.
    private struct Deliveries {
        private var order: [(id: WatchID, subscription: Subscription)] = []
        private var events: [WatchID: [DirectoryWatcher.Event]] = [:]

        mutating func add(_ event: DirectoryWatcher.Event, _ id: WatchID, _ subscription: Subscription) {
            guard let present = events[id] else {
                order.append((id, subscription))
                events[id] = [event]
                return
            }
            // That anything may have happened says it all.
            if present == [.unknown] || present.contains(event) { return }
            events[id] = event == .unknown ? [event] : present + [event]
        }

        var all: [(Subscription, DirectoryWatcher.Event)] {
            order.flatMap { watch in events[watch.id, default: []].map { (watch.subscription, $0) } }
        }
    }
}

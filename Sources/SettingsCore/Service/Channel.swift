import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way between a service and the store of one scope: which cells belong to which name, and the changes that wait to
/// be told, in the order in which they were committed.
///
/// Locks are taken in the order store, channel, cell. The channel's lock is never held while anything foreign runs:
/// listeners, coders and the store itself are called outside.
final class Channel: StoreFeedListener {
    private enum Delivery {
        case cell(AnyCell)
        case group(SettingsService.ChangeSet, [GroupListener])
    }

    private struct State {
        var hub: StoreHub?
        var cells: [String: [AnyCell]] = [:]
        /// How many commits this channel has seen.
        var sequence: UInt64 = 0
        var queue: [Delivery] = []
        var queueHead = 0
        var isDelivering = false
        /// Names that the new store has announced while it is being attached; nil at all other times.
        var changedWhileAttaching: Set<String>?

        mutating func nextDelivery() -> Delivery? {
            if queueHead == queue.count || queueHead >= 1_024 {
                queue.removeFirst(queueHead)
                queueHead = 0
            }
            guard queueHead < queue.count else { return nil }
            defer { queueHead += 1 }
            return queue[queueHead]
        }

        /// Queues a change for group listeners; into the one before, if these listeners are too slow.
        mutating func enqueue(_ changes: SettingsService.ChangeSet, for listeners: [GroupListener]) {
            if queue.count - queueHead >= 1_024, case .group(let last, _) = queue[queue.count - 1] {
                queue[queue.count - 1] = .group(last.merged(with: changes), listeners)
            } else {
                queue.append(.group(changes, listeners))
            }
        }
    }

    /// After so many deliveries in a row a thread passes the work on, so that a `set` cannot be kept for ever by others.
    private static let deliveriesInARow = 256

    let scope: SettingsService.Scope
    let diagnostics: Diagnostics
    private let groups: GroupListeners
    private let state = Mutex(State())

    init(scope: SettingsService.Scope, diagnostics: Diagnostics, groups: GroupListeners) {
        self.scope = scope
        self.diagnostics = diagnostics
        self.groups = groups
    }

    // MARK: The store

    /// The store's hub; nil while no store is registered for the scope.
    var hub: StoreHub? { state.withLock { $0.hub } }

    /// The store's hub.
    ///
    /// - Throws: `noStore` if no store is registered for the scope.
    func requireHub(for key: SettingsService.StorageKey?) throws(SettingsError) -> StoreHub {
        guard let hub else { throw SettingsError(.noStore, key: key, store: key == nil ? "\(scope)" : nil) }
        return hub
    }

    /// Uses `store` from now on. Listeners are told of what differs from the store before.
    func attach(_ store: any SettingsStore) {
        let new = StoreHub.hub(for: store)
        let (old, watched) = state.withLock { state in
            let watched = state.cells.filter { $0.value.contains { $0.hasListeners } }.map(\.key)
            state.changedWhileAttaching = []
            defer { state.hub = new }
            return (state.hub, watched)
        }
        old?.feed.remove(self)
        new.feed.add(self)
        let everyone = groups.isEmpty ? [] : names(in: old) + names(in: new)
        let changes = Set(watched + everyone).map { name in
            SettingsStoreChange(name: name, from: value(of: name, in: old), to: value(of: name, in: new))
        }
        state.withLock { state in
            guard state.hub === new else { return }
            for cells in state.cells.values { for cell in cells { cell.invalidate() } }
            // What the new store has announced itself in the meantime is newer than what was read from it above.
            let announced = state.changedWhileAttaching ?? []
            state.changedWhileAttaching = nil
            commit(changes.filter { !announced.contains($0.name) }, origin: .external, in: &state)
        }
        storeDidReleaseLock()
    }

    /// Ends the connection to the store; the service is going.
    func detach() {
        let hub = state.withLock { state in
            defer { state.hub = nil }
            return state.hub
        }
        hub?.feed.remove(self)
    }

    private func value(of name: String, in hub: StoreHub?) -> Data? {
        guard let hub else { return nil }
        do throws(SettingsError) {
            return try read(.init(name, scope: scope), from: hub)
        } catch {
            diagnostics.reportOnce(error)
            return nil
        }
    }

    private func names(in hub: StoreHub?) -> [String] {
        guard let hub else { return [] }
        do {
            return try hub.store.keys()
        } catch {
            // A store that cannot list its keys: whoever listens to a single setting is told all the same.
            return []
        }
    }

    /// The stored bytes.
    func read(_ key: SettingsService.StorageKey, from hub: StoreHub?) throws(SettingsError) -> Data? {
        guard let hub else { throw SettingsError(.noStore, store: "\(scope)") }
        do {
            return try hub.store.get(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: hub.store.storeDescription)
        }
    }

    /// Stores bytes; returns when they are stored and listeners have run, unless another thread is running them.
    func write(_ data: Data?, for key: SettingsService.StorageKey) throws(SettingsError) {
        let hub = try requireHub(for: key)
        do {
            try hub.set(key, to: data)
        } catch {
            throw .wrap(error, as: .writeFailed, key: key, store: hub.store.storeDescription)
        }
    }

    // MARK: Cells

    func add(_ cell: AnyCell) {
        state.withLock { $0.cells[cell.name, default: []].append(cell) }
    }

    func remove(_ cell: AnyCell) {
        state.withLock { state in
            state.cells[cell.name]?.removeAll { $0 === cell }
            if state.cells[cell.name]?.isEmpty == true { state.cells[cell.name] = nil }
        }
    }

    /// The number of the last commit.
    var sequence: UInt64 { state.withLock { $0.sequence } }

    /// Keys that somebody reads or listens to.
    var knownKeys: [SettingsService.StorageKey] {
        state.withLock { $0.cells.keys.map { .init($0, scope: scope) } }
    }

    // MARK: Changes

    func storeDidChange(_ changes: [SettingsStoreChange], origin: SettingsService.Origin, feed: SettingsStoreFeed) {
        state.withLock { state in
            // A store that was replaced a moment ago may still have had something to say.
            guard state.hub?.feed === feed else { return }
            state.changedWhileAttaching?.formUnion(changes.map(\.name))
            commit(changes, origin: origin, in: &state)
        }
    }

    /// Gives changes their place in the order: kept values become invalid, and what is to be told is queued.
    private func commit(_ changes: [SettingsStoreChange], origin: SettingsService.Origin, in state: inout State) {
        var changed: [SettingsService.StorageKey] = []
        let groupListeners = groups.all
        state.sequence += 1
        for change in changes where change.oldData != change.newData {
            if !groupListeners.isEmpty { changed.append(.init(change.name, scope: scope)) }
            guard let cells = state.cells[change.name] else { continue }
            let committed = CommittedChange(
                oldData: change.oldData, newData: change.newData, origin: origin, sequence: state.sequence)
            for cell in cells where cell.take(committed) { state.queue.append(.cell(cell)) }
        }
        if !changed.isEmpty {
            state.enqueue(.init(keys: Set(changed), origin: origin), for: groupListeners)
        }
    }

    func storeDidReleaseLock() {
        let begins = state.withLock { state in
            if state.isDelivering || state.queueHead == state.queue.count { return false }
            state.isDelivering = true
            return true
        }
        if begins { deliver() }
    }

    /// Delivers what is queued; only one thread at a time is here.
    private func deliver() {
        for _ in 0..<Self.deliveriesInARow {
            let next = state.withLock { state in
                let next = state.nextDelivery()
                if next == nil { state.isDelivering = false }
                return next
            }
            switch next {
            case .cell(let cell): cell.deliver()
            case .group(let changes, let listeners):
                for listener in listeners { listener.tell(changes) }
            case nil: return
            }
        }
        Task.detached { self.deliver() }
    }

    func storeDidReport(_ error: SettingsError) {
        diagnostics.report(error)
    }
}

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
/// listeners, coders and the store itself are called outside, and what was delivered is released outside.
final class Channel: Sendable {
    private struct State {
        /// The store that counts.
        var attachment: Attachment?
        /// What stores have announced since somebody began to go over from one to another, the newest bytes by name; an
        /// entry for each attachment that takes part.
        var announced: [ObjectIdentifier: [String: Data?]] = [:]
        var transitions = 0
        var cells: [String: [AnyCell]] = [:]
        /// How many commits this channel has seen.
        var sequence: UInt64 = 0
        var queue = DeliveryQueue()
    }

    /// After so many deliveries in a row a thread passes the work on, so that a `set` cannot be kept for ever by others.
    private static let deliveriesInARow = 256

    let scope: SettingsService.Scope
    let diagnostics: Diagnostics
    /// Whether the store announces every change before a reader could see the old value again.
    let announcesAllChanges = Atomic(false)
    private let groups: GroupListeners
    private let state = Mutex(State())

    init(scope: SettingsService.Scope, diagnostics: Diagnostics, groups: GroupListeners) {
        self.scope = scope
        self.diagnostics = diagnostics
        self.groups = groups
    }

    // MARK: Reading and writing

    /// The store's hub; nil while no store is registered for the scope.
    var hub: StoreHub? { state.withLock { $0.attachment?.hub } }

    /// The store's hub.
    ///
    /// - Throws: `noStore` if no store is registered for the scope.
    func requireHub(for key: SettingsService.StorageKey?) throws(SettingsError) -> StoreHub {
        guard let hub else { throw SettingsError(.noStore, key: key, store: key == nil ? "\(scope)" : nil) }
        return hub
    }

    /// The stored bytes.
    func read(_ key: SettingsService.StorageKey, from hub: StoreHub?) throws(SettingsError) -> Data? {
        guard let hub else { throw SettingsError(.noStore, key: key) }
        do {
            return try hub.store.get(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: hub.store.storeDescription)
        }
    }

    /// Decodes what the store holds for a setting.
    ///
    /// - Throws: `decodingFailed`, with the name of the store.
    func value<Value>(of coding: ValueCoding<Value>, for data: Data?) throws(SettingsError) -> Value {
        do throws(SettingsError) {
            return try coding.value(for: data)
        } catch {
            throw error.completed(key: nil, store: hub?.store.storeDescription)
        }
    }

    /// Reports, once, that stored bytes could not be decoded, with the line on which they stand.
    func reportOnce(_ error: SettingsError, bytes: Data?) {
        let store = hub?.store
        diagnostics.reportOnce(error.completed(key: nil, store: store?.storeDescription), bytes: bytes) {
            guard let key = error.key, let bytes else { return nil }
            return (store as? any LocatingStore)?.line(of: key.name, holding: bytes)
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

    /// Looks at what commits change, all of it between the same two. `body` runs nothing foreign.
    func betweenCommits<R: Sendable>(_ body: () -> R) -> R { state.withLock { _ in body() } }

    /// Lets the store know that something listens to its changes.
    func noteListener() { hub?.feed.noteListener() }

    /// Names that somebody reads or listens to.
    var knownNames: [String] {
        state.withLock { Array($0.cells.keys) } + groups.all.flatMap { $0.names(in: scope) }
    }

    // MARK: Changes

    /// Takes note of what a store has announced. Called inside the store's lock.
    func take(_ changes: [SettingsStoreChange], origin: SettingsService.Origin, from attachment: Attachment) {
        state.withLock { state in
            if state.transitions > 0 {
                for change in changes {
                    state.announced[ObjectIdentifier(attachment), default: [:]][change.name] = .some(change.newData)
                }
            }
            if state.attachment === attachment { commit(changes, origin: origin, in: &state) }
        }
    }

    /// Takes note that a store announces every change from now on. Called inside the store's lock.
    func noteThatAllIsAnnounced(by attachment: Attachment) {
        state.withLock { state in
            if state.attachment === attachment { announcesAllChanges.store(true, ordering: .releasing) }
        }
    }

    /// Gives changes their place in the order: kept values become invalid, and what is to be told is queued.
    ///
    /// - Parameter isReplacing: Whether they are the differences between the store before and the one that takes its place.
    private func commit(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, isReplacing: Bool = false,
        in state: inout State
    ) {
        var changed: Set<SettingsService.StorageKey> = []
        let groupListeners = groups.all
        state.sequence += 1
        for change in changes where change.oldData != change.newData {
            // A file may hold names that no setting can have.
            if !groupListeners.isEmpty, SettingsService.StorageKey.isValid(change.name) {
                changed.insert(.init(change.name, scope: scope))
            }
            guard let cells = state.cells[change.name] else { continue }
            let committed = CommittedChange(
                oldData: change.oldData, newData: change.newData, origin: origin,
                isFromOutside: origin == .external && !isReplacing, sequence: state.sequence)
            for cell in cells where cell.take(committed) { state.queue.append(cell) }
        }
        if !changed.isEmpty {
            state.queue.append(.init(keys: changed, origin: origin), for: groupListeners)
        }
    }

    /// Tells those who listen to a name that setting its value has failed, in order with its changes.
    func tell(_ name: String, of failure: SettingsError) {
        state.withLock { state in
            guard let cells = state.cells[name] else { return }
            for cell in cells where cell.take(failure) { state.queue.append(cell) }
        }
        deliver()
    }

    /// Delivers what is queued, unless another thread is at it already. Called outside of every lock.
    func deliver() {
        if state.withLock({ $0.queue.begin() }) { deliverNext() }
    }

    /// One thread at a time is here.
    private func deliverNext() {
        for _ in 0..<Self.deliveriesInARow {
            switch state.withLock({ $0.queue.next() }) {
            case .cell(let cell): cell.deliver()
            case .group(let changes, let listeners):
                let changes = changes.origin == .external ? withoutHeldBack(changes) : changes
                for listener in listeners { listener.tell(changes) }
            case nil: return
            }
        }
        Task.detached { self.deliverNext() }
    }

    /// Leaves out settings that this program uses, and whose new bytes are no value of any of them. They were checked just
    /// before: a commit's changes are delivered before the set of them.
    private func withoutHeldBack(_ changes: SettingsService.ChangeSet) -> SettingsService.ChangeSet {
        state.withLock { state in
            let told = changes.keys.filter { key in
                guard let cells = state.cells[key.name], !cells.isEmpty else { return true }
                return !cells.allSatisfy(\.isHoldingBack)
            }
            return .init(keys: told, origin: changes.origin)
        }
    }

    // MARK: The store

    /// Uses `store` from now on. Listeners are told of what differs from the store before.
    func attach(_ store: any SettingsStore) {
        let new = Attachment(hub: .hub(for: store), channel: self)
        state.withLock { $0.transitions += 1 }
        new.hub.feed.add(new)
        while true {
            let old = state.withLock { $0.attachment }
            if let old, old.hub.feed === new.hub.feed {
                // The same store: nothing to go over to.
                endTransition()
                new.hub.feed.remove(new)
                return
            }
            let names = watchedNames(in: [old, new])
            let before = contents(of: old, names: names)
            let after = contents(of: new, names: names)
            if goOver(from: old, to: new, names: names, before: before, after: after) {
                endTransition()
                if let old { old.hub.feed.remove(old) }
                if hasListeners { noteListener() }
                break
            }
        }
        deliver()
    }

    /// Makes `new` the attachment that counts, and commits what differs.
    ///
    /// - Returns: false, with nothing changed, if somebody else has put another store in the place of `old`.
    private func goOver(
        from old: Attachment?, to new: Attachment, names: Set<String>, before: [String: Data], after: [String: Data]
    ) -> Bool {
        state.withLock { state in
            guard state.attachment === old else { return false }
            // What was announced since the contents were read is newer than what was read.
            let announcedByOld = old.flatMap { state.announced[ObjectIdentifier($0)] } ?? [:]
            let announcedByNew = state.announced[ObjectIdentifier(new)] ?? [:]
            let changes = names.map { name in
                SettingsStoreChange(
                    name: name, from: announcedByOld[name] ?? before[name], to: announcedByNew[name] ?? after[name])
            }
            state.attachment = new
            announcesAllChanges.store(new.hub.feed.isExhaustive, ordering: .releasing)
            for cells in state.cells.values { for cell in cells { cell.invalidate() } }
            commit(changes, origin: .external, isReplacing: true, in: &state)
            return true
        }
    }

    private func endTransition() {
        state.withLock { state in
            state.transitions -= 1
            if state.transitions == 0 { state.announced = [:] }
        }
    }

    /// Ends the connection to the store; the service is going.
    func detach() {
        let attachment = state.withLock { state in
            defer { state.attachment = nil }
            announcesAllChanges.store(false, ordering: .releasing)
            return state.attachment
        }
        if let attachment { attachment.hub.feed.remove(attachment) }
    }

    private var hasListeners: Bool {
        !groups.all.isEmpty || state.withLock { $0.cells.values.contains { $0.contains(where: \.hasListeners) } }
    }

    /// The names of which somebody must be told when they differ between two stores.
    private func watchedNames(in attachments: [Attachment?]) -> Set<String> {
        let listeners = groups.all
        var names = Set(listeners.flatMap { $0.names(in: scope) })
        state.withLock { state in
            for (name, cells) in state.cells where cells.contains(where: \.hasListeners) { names.insert(name) }
        }
        if listeners.contains(where: { $0.listensToAll(of: scope) }) {
            for attachment in attachments { names.formUnion(storedNames(in: attachment)) }
        }
        return names.filter(SettingsService.StorageKey.isValid)
    }

    private func storedNames(in attachment: Attachment?) -> [String] {
        guard let store = attachment?.hub.store else { return [] }
        do {
            return try store.keys()
        } catch SettingsError.Code.unsupported {
            // Whoever listens to a setting by name is told all the same.
            return []
        } catch {
            diagnostics.reportOnce(.wrap(error, as: .readFailed, store: store.storeDescription))
            return []
        }
    }

    private func contents(of attachment: Attachment?, names: Set<String>) -> [String: Data] {
        guard let attachment else { return [:] }
        var contents: [String: Data] = [:]
        for name in names {
            do throws(SettingsError) {
                contents[name] = try read(.init(name, scope: scope), from: attachment.hub)
            } catch {
                diagnostics.reportOnce(error)
            }
        }
        return contents
    }
}

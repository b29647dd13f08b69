import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Connects a service with the store of one scope: receives the changes of the store's layers, invalidates cached values, and
/// delivers changes to listeners in the order of their commits.
///
/// Locks are taken in this order: a store's, the connection's, then leaves. The connection's lock guards its ``ConnectionState`` and
/// the states of its slots. Listeners, coders and stores are called outside of it, and values are released outside of it.
@usableFromInline final class Connection: Sendable {
    let scope: SettingsService.Scope
    let diagnostics: Diagnostics
    let state: Mutex<ConnectionState>

    init(scope: SettingsService.Scope, diagnostics: Diagnostics, groups: [GroupListener]) {
        self.scope = scope
        self.diagnostics = diagnostics
        state = Mutex(ConnectionState(groups: groups), .connection)
    }

    // MARK: The store

    /// The store; nil if none is registered for the scope.
    var sources: Sources? { state.withLock { $0.sources } }

    /// Returns the store.
    ///
    /// - Throws: `noStore` if no store is registered for the scope.
    func requireSources(for key: SettingsService.StorageKey? = nil) throws(SettingsError) -> Sources {
        guard let sources else {
            throw SettingsError(.noStore, key: key, store: key == nil ? "\(scope)" : nil)
        }
        return sources
    }

    /// Whether the store publishes every change before a reader could see the old value again.
    var isExhaustive: Bool { sources?.isExhaustive ?? false }

    /// Uses a store from now on. Listeners are notified of each difference from the store before.
    ///
    /// The lock guards the replacement, which invalidates everything cached. The new store is read on delivery, in order with the
    /// changes before and after.
    func connect(to store: any SettingsStore) {
        let new = Sources(store, for: self)
        state.withLock { $0.replacing.count += 1 }
        // Again if the store before is another one meanwhile, or has more listeners.
        while !replaceStore(by: new) {}
        state.withLock { $0.endReplacing() }
        deliver()
    }

    private func replaceStore(by new: Sources) -> Bool {
        let (old, groups, unknown) = state.withLock { state in (state.sources, state.groups, state.unknownSlots) }
        if new.isEqual(to: old) { return true }
        var held: [ObjectIdentifier: Row] = [:]
        if let old { for slot in unknown { held[ObjectIdentifier(slot)] = old.complete(old.unknown, slot.key) } }
        let replacement = Replacement(of: old, by: new, for: groups, in: self)
        let found = state.withLock { state -> ([SettingsError], Set<String>)? in
            // New listeners are appended.
            guard state.sources === old, state.groups.last === groups.last else { return nil }
            // Inside the lock, so that no change of the new store is missed.
            var errors: [SettingsError] = []
            for source in new.all {
                errors +=
                    source.feed?.add(source).map { $0.completed(key: nil, store: nil, layer: source.layer.name) } ?? []
            }
            state.replaceSources(by: new, held: held, replacement)
            return (errors, state.listenedNames.union(groups.flatMap { $0.names(in: scope) }))
        }
        guard let (errors, listened) = found else { return false }
        for source in old?.all ?? [] { source.feed?.remove(source) }
        new.follow(listened)
        if !listened.isEmpty || !groups.isEmpty { for source in new.all { source.feed?.recordListener() } }
        for error in errors { diagnostics.reportOpening(error) }
        return true
    }

    /// Ends the connection to the store. Called when the service is released.
    func disconnect() {
        // The sources hold this object, and the states of slots hold the sources.
        let (sources, released) = state.withLock { ($0.sources, $0.end()) }
        for source in sources?.all ?? [] { source.feed?.remove(source) }
        withExtendedLifetime(released) {}
    }

    // MARK: Slots

    /// Adds a slot. The caller lets the store know of the name, outside of every lock.
    func add(_ slot: AnySlot) -> AnySlot {
        state.withLock { $0.add(slot) }
        return slot
    }

    func remove(_ slot: AnySlot) {
        let released = state.withLock { $0.remove(slot) }
        withExtendedLifetime(released) {}
    }

    /// The number of the last commit.
    var sequence: UInt64 { state.withLock { $0.sequence } }

    // MARK: Reading

    /// Returns what is known of a slot; nil without a store.
    func view(of slot: AnySlot) -> (sources: Sources, state: SlotState, token: UInt64, moment: UInt64)? {
        state.withLock { state in state.sources.map { ($0, slot.state, slot.token, slot.moment) } }
    }

    /// Records what a reader has found, unless the slot has changed since.
    ///
    /// - Returns: Whether it has not.
    func settle(_ slot: AnySlot, _ row: Row, _ verdict: Verdict, at moment: UInt64) -> Bool {
        let (isCurrent, replaced) = state.withLock { state -> (Bool, Verdict?) in
            guard slot.moment == moment, let sources = state.sources, !slot.state.isRemoved else { return (false, nil) }
            let kept = SlotState.kept(row, in: sources)
            for (index, element) in kept.enumerated() {
                if let element { slot.state.learn(element.content, at: index) }
            }
            guard slot.state.steps.isEmpty else { return (true, nil) }
            defer { (slot.state.settled, slot.state.isSettled) = (verdict, !kept.contains { $0 == nil }) }
            return (true, slot.state.settled)
        }
        withExtendedLifetime(replaced) {}
        return isCurrent
    }

    /// Reports, once for each cause, what a setting rejects, with the line of the bytes.
    func report(_ verdict: Verdict, of key: SettingsService.StorageKey, in sources: Sources) {
        for rejection in verdict.rejections {
            let store = sources.all[rejection.source].store ?? sources.writableStore
            report(sources.locating(rejection.error, in: rejection.source), of: key, rejection.data, in: store)
        }
    }

    /// Reports, once, that stored bytes could not be decoded, with the line of these bytes.
    func reportOnce(_ error: SettingsError, of key: SettingsService.StorageKey, bytes: Data?) {
        guard let sources else { return diagnostics.reportOnce(error, bytes: bytes) }
        report(sources.locating(error), of: key, bytes, in: sources.writableStore)
    }

    private func report(
        _ error: SettingsError, of key: SettingsService.StorageKey, _ bytes: Data?, in store: any SettingsStore
    ) {
        diagnostics.reportOnce(error.completed(key: key, store: nil), bytes: bytes) {
            guard let bytes else { return nil }
            return (store as? any LocatingStore)?.line(of: key.name, holding: bytes)
        }
    }

    /// Reports why the text of a source cannot be read.
    func report(_ error: SettingsError, of source: Source) {
        if state.withLock({ $0.owns(source) }) { diagnostics.report(error) } else { diagnostics.reportOpening(error) }
    }

    // MARK: Writing

    /// Returns the store to write to, and notes the values that are about to be written, so that their commit hands them to the
    /// slots. The caller calls ``endWriting(_:)`` afterwards, also if the write has failed.
    func beginWriting(_ sets: [SetValue], _ key: SettingsService.StorageKey) throws(SettingsError) -> Sources {
        let sources = state.withLock { state in
            if !sets.isEmpty { state.writing += sets }
            return state.sources
        }
        guard let sources else { throw SettingsError(.noStore, key: key) }
        return sources
    }

    func endWriting(_ sets: [SetValue]) {
        if sets.isEmpty { return }
        state.withLock { state in state.writing.removeAll { set in sets.contains { $0 === set } } }
    }

    // MARK: Listeners

    /// Adds a listener to the changes that are committed from now on.
    ///
    /// - Returns: A closure that removes the listener.
    func listen(to slot: AnySlot, _ body: SettingListener.Body) -> @Sendable () -> Void {
        let listener = addListener(to: slot, body)
        recordListener()
        return { [self] in
            listener.isActive.store(false, ordering: .releasing)
            state.withLock { _ in slot.state.listeners.removeAll { $0 === listener } }
        }
    }

    private func addListener(to slot: AnySlot, _ body: SettingListener.Body) -> SettingListener {
        var attempt = 0
        while true {
            attempt += 1
            // What is in force now must be known, because the first change begins with it.
            let reading = slot.read()
            let added = state.withLock { state -> SettingListener? in
                if attempt < CoreLimits.readingAttempts, !state.isKnown(slot, after: reading) { return nil }
                let listener = SettingListener(since: state.sequence, body: body)
                state.lastListening = state.sequence
                slot.state.listeners.append(listener)
                return listener
            }
            if let added { return added }
        }
    }

    /// Lets the store know that there is a listener. Called outside of every lock, because a store may then act.
    func recordListener() { for source in sources?.all ?? [] { source.feed?.recordListener() } }

    func add(_ group: GroupListener) {
        let sources = state.withLock { state in
            state.groups.append(group)
            state.lastListening = state.sequence
            return state.sources
        }
        sources?.follow(group.names(in: scope))
        recordListener()
    }

    func remove(_ group: GroupListener) { state.withLock { $0.groups.removeAll { $0 === group } } }

    // MARK: Changes

    /// Records changes of a source. Called inside its lock.
    ///
    /// - Returns: Whether there is something to deliver.
    func storeDidChange(_ changes: [SettingsStoreChange], origin: SettingsService.Origin, of source: Source) -> Bool {
        state.withLock { state in
            guard state.owns(source) else { return false }
            return state.commit(changes, origin, of: source, scope)
        }
    }

    /// Replaces the text of a source, and records the changes of all slots.
    func textDidChange(of source: Source, _ replace: () -> Void) {
        state.withLock { state in
            let old = state.texts(of: source, scope)
            replace()
            state.commitTexts(of: source, scope, old)
        }
        deliver()
    }

    // MARK: Delivering

    /// The number of commits in a row after which a thread passes the work on, so that other threads' changes cannot keep its `set`
    /// from returning.
    private static var deliveriesInARow: Int { 256 }

    /// Delivers the waiting commits, unless another thread does. Called outside of every lock.
    func deliver() {
        let (begins, released) = state.withLock { ($0.beginDelivering(), $0.removeReleased()) }
        withExtendedLifetime(released) {}
        if begins { deliverNext() }
    }

    /// One thread at a time is here.
    private func deliverNext() {
        for _ in 0..<Self.deliveriesInARow {
            guard let commit = state.withLock({ $0.nextCommit() }) else { return }
            var unchanged: Set<String> = []
            var changed: Set<String> = []
            for slot in commit.slots {
                let isChanged = deliver(commit.number, to: slot)
                if commit.groups.isEmpty { continue }
                if isChanged { changed.insert(slot.name) } else { unchanged.insert(slot.name) }
            }
            if commit.groups.isEmpty { continue }
            if let (replacement, changed) = commit.replacement {
                replacement.deliver(to: commit.groups, in: self, changed)
            } else {
                let keys = commit.keys.filter { changed.contains($0.name) || !unchanged.contains($0.name) }
                for listener in commit.groups { listener.deliver(.init(keys: keys, origin: commit.origin)) }
            }
        }
        Task.detached { self.deliverNext() }
    }

    /// Judges the first step of a slot, and calls the listeners.
    ///
    /// - Returns: Whether readers get another value than before.
    private func deliver(_ commit: UInt64, to slot: AnySlot) -> Bool {
        while true {
            let found = state.withLock { _ in slot.state.steps.first?.commit == commit ? slot.state : nil }
            guard let found, let step = found.steps.first?.completed(slot.key) else { return false }
            let before = slot.judgeBase(found, before: step)
            let after = slot.judge(step, after: before)
            report(after, of: slot.key, in: step.sources)
            let (listeners, replaced) = state.withLock { _ -> ([SettingListener]?, SlotState?) in
                guard slot.state.steps.first?.commit == commit, slot.state.edits == found.edits else {
                    return (nil, nil)
                }
                let replaced = slot.state
                slot.state.removeFirst(step, after)
                return (slot.state.listeners, replaced)
            }
            withExtendedLifetime(replaced) {}
            guard let listeners else { continue }
            // Listeners know what was settled last, unless the store does not publish all of its changes.
            let known = listeners.isEmpty || step.before != nil ? before : found.settled ?? before
            if after.isSame(as: known) { return false }
            let change = SlotChange(slot: slot, before: known, after: after, origin: step.origin)
            for listener in listeners where listener.since < step.last { listener.deliver(change, signal: step.last) }
            return true
        }
    }
}

extension SlotState {
    /// Removes the first step, whose row is now completely known, and after which a verdict is in force.
    mutating func removeFirst(_ step: Step, _ after: Verdict) {
        steps.removeFirst()
        sources = step.sources
        base = Self.kept(step.row, in: step.sources)
        (settled, isSettled) = (after, !base.contains { $0 == nil })
        edits += 1
    }
}

/// The state of a ``Connection``, which its lock guards. No function here calls foreign code.
struct ConnectionState {
    /// A commit that waits for its delivery.
    struct Commit {
        /// The number; of the first one, if it stands for several.
        let number: UInt64
        var origin: SettingsService.Origin
        /// The slots that have a step of this number.
        var slots: [AnySlot]
        /// What listeners to groups are told.
        var keys: Set<SettingsService.StorageKey> = []
        var groups: [GroupListener] = []
        /// A replacement of the store, and the names that changed while it was prepared.
        var replacement: (Replacement, changed: Set<String>)?
    }

    /// The present store.
    var sources: Sources?
    /// The slots of each name.
    var slots: [String: [AnySlot]] = [:]
    /// Listeners to groups of settings.
    var groups: [GroupListener]
    /// The number of the last commit, and that of the last one before a listener was added.
    var sequence: UInt64 = 0
    var lastListening: UInt64 = 0
    /// The values that are being written.
    var writing: [SetValue] = []
    /// The number of replacements of the store under way, and the names that have changed since the first began.
    var replacing: (count: Int, changed: Set<String>) = (0, [])
    /// The commits that wait, from `head` on.
    private var queue: [Commit?] = []
    private var head = 0
    private var isDelivering = false
    /// The number of waiting commits from which on the last one stands for the newer ones, too. Changed by tests.
    var limit = CoreLimits.pendingChanges
    /// What is to be released outside of every lock.
    private var released: [AnyObject] = []

    init(groups: [GroupListener]) { self.groups = groups }

    /// Returns whether a source is one of the present store: another one is ignored.
    func owns(_ source: Source) -> Bool {
        guard let sources, source.index < sources.all.count else { return false }
        return sources.all[source.index] === source
    }

    // MARK: Slots

    mutating func add(_ slot: AnySlot) {
        slots[slot.name, default: []].append(slot)
        slot.state.sources = sources
        slot.state.base = sources?.unknown ?? []
    }

    mutating func remove(_ slot: AnySlot) -> SlotState {
        slots[slot.name]?.removeAll { $0 === slot }
        if slots[slot.name]?.isEmpty == true { slots[slot.name] = nil }
        defer {
            slot.state = SlotState()
            slot.state.isRemoved = true
        }
        return slot.state
    }

    /// Returns whether everything that can be kept of a slot's row is known, but for what a reader could not read.
    func isKnown(_ slot: AnySlot, after reading: AnySlot.Reading?) -> Bool {
        guard let sources else { return true }
        guard let reading, reading.sources === sources else { return false }
        let row = slot.state.newest
        return row.indices.allSatisfy {
            row[$0] != nil || !sources.all[$0].isExhaustive || reading.row[$0]?.content.problem != nil
        }
    }

    /// The slots that have listeners but whose row is not completely known.
    var unknownSlots: [AnySlot] {
        slots.values.joined().filter { !$0.state.listeners.isEmpty && $0.state.newest.contains { $0 == nil } }
    }

    var listenedNames: Set<String> {
        Set(slots.values.joined().filter { !$0.state.listeners.isEmpty }.map(\.name))
    }

    /// Forgets the store and everything that it held, and returns what the caller releases outside of the lock: a
    /// queued commit can hold the last reference to a slot.
    mutating func end() -> (queue: [Commit?], states: [SlotState]) {
        let held = queue
        (sources, queue, head) = (nil, [], 0)
        let states = slots.values.joined().map { slot in
            defer { slot.state = SlotState() }
            return slot.state
        }
        return (held, states)
    }

    // MARK: Commits

    /// Orders changes of a source: invalidates cached values, and queues what is to be delivered.
    ///
    /// - Returns: Whether there is something to deliver.
    mutating func commit(
        _ changes: [SettingsStoreChange], _ origin: SettingsService.Origin, of source: Source,
        _ scope: SettingsService.Scope
    ) -> Bool {
        guard let sources else { return false }
        var commit = beginCommit(origin)
        if replacing.count > 0 { replacing.changed.formUnion(changes.map(\.name)) }
        for change in changes where change.oldData != change.newData {
            // A file may hold names that no setting can have.
            if !groups.isEmpty, SettingsService.StorageKey.isValid(change.name) {
                commit.keys.insert(.init(change.name, scope: scope))
            }
            guard let slots = slots[change.name] else { continue }
            for slot in slots {
                let set = origin == .local ? removeSet(of: change.newData, in: slot) : nil
                record(
                    .init(change.oldData), .init(change.newData), of: slot, source, sources, set, origin, in: &commit)
            }
        }
        return endCommit(commit)
    }

    /// Returns what the text of a source holds for each name that a slot or a listener to groups uses.
    func texts(of source: Source, _ scope: SettingsService.Scope) -> [(name: SpelledName, content: Held.Content)] {
        guard owns(source) else { return [] }
        let names = Set(slots.keys).union(groups.flatMap { $0.names(in: scope) })
        return names.map { name in
            let name = SpelledName(name)
            return (name, source.read(name))
        }
    }

    /// Orders the changes of a text that was replaced.
    mutating func commitTexts(
        of source: Source, _ scope: SettingsService.Scope, _ old: [(name: SpelledName, content: Held.Content)]
    ) {
        guard let sources, !old.isEmpty else { return }
        var commit = beginCommit(.external)
        for (spelled, old) in old {
            let (name, new) = (spelled.name, source.read(spelled))
            if old == new { continue }
            if !groups.isEmpty { commit.keys.insert(.init(name, scope: scope)) }
            for slot in slots[name] ?? [] {
                record(old, new, of: slot, source, sources, nil, .external, in: &commit)
            }
        }
        _ = endCommit(commit)
    }

    private mutating func record(
        _ old: Held.Content, _ new: Held.Content, of slot: AnySlot, _ source: Source, _ sources: Sources,
        _ set: SetValue?, _ origin: SettingsService.Origin, in commit: inout Commit
    ) {
        let isWatched = !slot.state.listeners.isEmpty || origin == .external || !groups.isEmpty
        let (isDelivered, objects) = slot.state.record(
            old, new, of: source, in: sources, origin, set: set, commit: (commit.number, sequence), isWatched: isWatched
        )
        if isDelivered { commit.slots.append(slot) }
        release(objects, of: slot)
        slot.invalidate()
    }

    /// Keeps what may run a user's `deinit`, to be released outside of every lock: values, and errors of a user's coding.
    private mutating func release(_ objects: [AnyObject], of slot: AnySlot) {
        if slot.hasPlainValues, !objects.contains(where: { ($0 as? Verdict)?.rejections.isEmpty == false }) { return }
        released += objects
    }

    /// Removes the value whose bytes a slot now has; nil if another program has written them.
    private mutating func removeSet(of data: Data?, in slot: AnySlot) -> SetValue? {
        guard let index = writing.firstIndex(where: { $0.slot === slot && $0.data == data }) else { return nil }
        return writing.remove(at: index)
    }

    /// Begins a commit: a new one, or the last one that waits, if there are many.
    private mutating func beginCommit(_ origin: SettingsService.Origin) -> Commit {
        sequence += 1
        if queue.count - head >= limit, let last = queue.last, var last, last.replacement == nil,
            // A listener that began after the last one must not receive it.
            lastListening < last.number
        {
            if origin == .external { last.origin = .external }
            return last
        }
        return Commit(number: sequence, origin: origin, slots: [])
    }

    /// - Returns: Whether there is something to deliver.
    private mutating func endCommit(_ commit: Commit) -> Bool {
        var commit = commit
        if queue.count > head, queue[queue.count - 1]?.number == commit.number {
            queue[queue.count - 1] = commit
        } else if !commit.slots.isEmpty || !commit.keys.isEmpty {
            commit.groups = groups
            queue.append(commit)
        }
        return queue.count > head || !released.isEmpty
    }

    /// Records that another store takes the place of the present one.
    ///
    /// - Parameter held: What the present store holds for slots that do not know it.
    mutating func replaceSources(by new: Sources, held: [ObjectIdentifier: Row], _ replacement: Replacement?) {
        sequence += 1
        sources = new
        var commit = Commit(number: sequence, origin: .external, slots: [])
        for slot in slots.values.joined() {
            let (isDelivered, objects) = slot.state.reconnect(
                to: new, before: held[ObjectIdentifier(slot)], commit: sequence, lastListening: lastListening)
            if isDelivered { commit.slots.append(slot) }
            release(objects, of: slot)
            slot.invalidate()
        }
        if let replacement { (commit.groups, commit.replacement) = (groups, (replacement, replacing.changed)) }
        if !commit.slots.isEmpty || replacement != nil { queue.append(commit) }
    }

    mutating func endReplacing() {
        replacing.count -= 1
        if replacing.count == 0 { replacing.changed = [] }
    }

    // MARK: Delivering

    mutating func removeReleased() -> [AnyObject] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }

    /// Returns whether the caller delivers, until ``nextCommit()`` returns nil.
    mutating func beginDelivering() -> Bool {
        if isDelivering || queue.count == head { return false }
        isDelivering = true
        return true
    }

    mutating func nextCommit() -> Commit? {
        if head == queue.count || head >= CoreLimits.pendingChanges {
            queue.removeFirst(head)
            head = 0
        }
        guard head < queue.count else {
            isDelivering = false
            return nil
        }
        defer {
            queue[head] = nil
            head += 1
        }
        return queue[head]
    }
}

/// A replacement of a store by another, for listeners to groups: they are notified of the names whose values differ.
final class Replacement: Sendable {
    private let held: [String: Row]
    private let names: Set<String>

    /// Reads what the replaced store holds; nil if there are no listeners to groups.
    init?(of old: Sources?, by new: Sources, for groups: [GroupListener], in connection: Connection) {
        if groups.isEmpty { return nil }
        var names = Set(groups.flatMap { $0.names(in: connection.scope) }).filter(SettingsService.StorageKey.isValid)
        if groups.contains(where: { $0.listensToAll(of: connection.scope) }) {
            for store in [old, new] { names.formUnion(store?.knownNames(connection.diagnostics) ?? []) }
        }
        self.names = names
        held = Self.contents(of: old, names, in: connection)
    }

    private static func contents(of sources: Sources?, _ names: Set<String>, in connection: Connection) -> [String: Row]
    {
        guard let sources else { return [:] }
        var contents: [String: Row] = [:]
        for name in names {
            let key = SettingsService.StorageKey(name, scope: connection.scope)
            let row = sources.complete(sources.unknown, key)
            if let problem = row[sources.writable]?.content.problem {
                connection.diagnostics.reportOnce(problem.completed(key: key, store: nil))
            }
            if row.hasValue { contents[name] = row }
        }
        return contents
    }

    func deliver(to groups: [GroupListener], in connection: Connection, _ changed: Set<String>) {
        let found = Self.contents(of: connection.sources, names, in: connection)
        let differing = names.filter { name in
            if changed.contains(name) { return true }
            guard let one = held[name], let other = found[name] else {
                return (held[name] == nil) != (found[name] == nil)
            }
            return !one.isSame(as: other)
        }
        let keys = Set(differing.map { SettingsService.StorageKey($0, scope: connection.scope) })
        if !keys.isEmpty { for listener in groups { listener.deliver(.init(keys: keys, origin: .external)) } }
    }
}

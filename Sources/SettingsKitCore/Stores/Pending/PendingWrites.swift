import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes that are in force in this process but not stored yet, because another process has the store locked, or because the store
/// is not open.
///
/// They apply after every change of other processes, as if they were made at the moment at which they are stored. The store's feed
/// leaves out the changes of stored values that they hide. What a store does with them is in ``DeferringStore``.
///
/// Its lock is taken inside that of the store's memory, when the store publishes a change. So no function of the store is called
/// inside it. What needs both is read in the store first, and read again if the store has published a change since.
package final class PendingWrites: Sendable {
    /// What the writes need of the system.
    package struct System: Sendable {
        let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
        let forkCount: @Sendable () -> Int

        /// - Parameters:
        ///   - schedule: Calls a function in the background, after a delay.
        ///   - forkCount: Returns a number that differs in the child of a fork.
        package init(
            schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
            forkCount: @escaping @Sendable () -> Int = { 0 }
        ) {
            (self.schedule, self.forkCount) = (schedule, forkCount)
        }
    }

    /// A write, with the bytes that the store holds under its name.
    fileprivate struct Write: Sendable {
        let key: SettingsService.StorageKey
        let data: Data?
        var stored: Data?
        /// Whether the store has it or has refused it, so that only ``PendingWrites/end(_:origin:)`` is left. Stored again, it would
        /// replace what others have stored since.
        var isStored = false
        /// Increases with each write, so that one that follows another with the same bytes differs.
        let number: UInt64

        /// The bytes of its name and value.
        var size: Int { key.name.utf8.count + (data?.count ?? 0) }
    }

    private struct State {
        var writes: [String: Write] = [:]
        var size = 0
        var lastNumber: UInt64 = 0
        /// The fork count when the first of the writes was kept.
        var forks = 0
        /// Increases when the store publishes a change, and when writes end.
        var revision: UInt64 = 0
        /// The names for which `pending` was reported after the last `recovered`.
        var reported: Set<String> = []
        /// The number of threads that have still to report `pending`. `recovered` waits for them.
        var reporting = 0
        /// Whether no further writes are kept.
        var isClosed = false

        /// Returns those changes of stored values that change what is in force, and notes the others.
        mutating func visible(
            _ changes: [SettingsStoreChange], origin: SettingsService.Origin
        ) -> [SettingsStoreChange] {
            revision += 1
            if writes.isEmpty { return changes }
            return changes.filter { change in
                guard let write = writes[change.name] else { return true }
                writes[change.name]?.stored = change.newData
                if origin == .local, change.newData == write.data { writes[change.name]?.isStored = true }
                return false
            }
        }
    }

    /// The feed outlives its use: it keeps this object, or belongs to the store that does.
    unowned let feed: SettingsStoreFeed
    let system: System
    private let state: Mutex<State>
    private let count = Atomic(0)
    private let isAttempting = Atomic(false)

    /// - Parameters:
    ///   - feed: The store's feed.
    ///   - rank: The place of the lock.
    package init(_ feed: SettingsStoreFeed, _ system: System, rank: LockRank = .pending) {
        (self.feed, self.system) = (feed, system)
        state = Mutex(State(), rank)
    }

    // MARK: Reading

    package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// The time that a change waits for another process before it is kept: zero while others are pending.
    ///
    /// - Parameter patience: The time that throwing operations wait.
    package func waiting(_ patience: Duration) -> Duration {
        isEmpty ? min(patience, CoreTimings.longestWaitOfSet) : .zero
    }

    /// The bytes of the write under a name, or nil in place of a removal. Nil if there is none.
    private subscript(name: String) -> Data?? {
        if isEmpty { return nil }
        return state.withLock { state in state.writes[name].map(\.data) }
    }

    /// Returns whether a write under a name is pending.
    package func contains(_ name: String) -> Bool { self[name] != nil }

    /// Returns the bytes that are in force under a name.
    ///
    /// - Parameter stored: Returns the stored bytes.
    package func data(named name: String, over stored: () throws -> Data?) rethrows -> Data? {
        if let data = self[name] { return data }
        let stored = try stored()
        // A write may have been kept meanwhile, and the stored bytes changed since.
        return self[name] ?? stored
    }

    /// Something is pending that a change must follow.
    struct Present: Error {}

    /// Requires that nothing is pending: for a change in ``DeferringStore/storingPending(waiting:_:)``.
    package func requireNone() throws { if !isEmpty { throw Present() } }

    /// Returns the names with a value in force.
    ///
    /// - Parameters:
    ///   - contents: Returns the store's contents. May be called several times, and should be quick, because any change repeats it.
    ///   - names: Returns the names with a stored value in contents. Called once.
    package func names<Contents: Sendable>(
        over contents: () -> Contents, in names: (Contents) -> [String]
    ) -> [String] {
        if isEmpty { return names(contents()) }
        let (contents, writes) = atOneMoment(contents) { state, contents in (contents, state.writes) }
        return names(contents).filter { writes[$0] == nil } + writes.values.filter { $0.data != nil }.map(\.key.name)
    }

    /// Returns whether expectations hold for the values in force, at one moment.
    ///
    /// - Parameter others: Returns whether expectations hold for the stored values. May be called several times.
    package func hold(
        _ expectations: [SettingsStoreBatch.Entry], over others: ([SettingsStoreBatch.Entry]) -> Bool
    ) -> Bool {
        if isEmpty {
            let holds = others(expectations)
            if isEmpty { return holds }
        }
        return atOneMoment {
            let visible = state.withLock { state in expectations.filter { state.writes[$0.key.name] == nil } }
            return others(visible)
        } _: { state, othersHold in
            othersHold
                && expectations.allSatisfy { expectation in
                    state.writes[expectation.key.name].map { $0.data == expectation.data } ?? true
                }
        }
    }

    /// Reads the store, and then the writes, again if something has changed in between but that more writes are kept.
    private func atOneMoment<Stored: Sendable, R: Sendable>(
        _ read: () -> Stored, _ body: (inout State, Stored) -> R
    ) -> R {
        while true {
            let revision = state.withLock { $0.revision }
            let stored = read()
            let result = state.withLock { state in state.revision == revision ? body(&state, stored) : nil }
            if let result { return result }
        }
    }

    /// The count and the bytes of the writes beside those of some names.
    package func size(beside names: Set<String>) -> (count: Int, bytes: Int) {
        state.withLock { state in
            names.reduce(into: (state.writes.count, state.size)) { size, name in
                guard let write = state.writes[name] else { return }
                size.0 -= 1
                size.1 -= write.size
            }
        }
    }

    // MARK: Keeping

    /// Puts writes in force, calls listeners, and reports `pending` once for each name.
    ///
    /// - Parameters:
    ///   - stored: Returns the bytes that the store holds under a name. May be called several times.
    ///   - description: The store's name in messages.
    ///   - cause: The reason why the writes are pending.
    /// - Returns: False, with nothing changed, after ``close()``.
    func keep(
        _ writes: [SettingsStoreBatch.Entry], over stored: (String) -> Data?, in description: String,
        because cause: @autoclosure () -> any Error
    ) -> Bool {
        _ = dropInherited()
        guard let new = keep(writes, over: stored) else { return false }
        feed.flush()
        if new.isEmpty { return true }
        for key in new {
            feed.report(SettingsError(.pending, key: key, store: description, underlying: cause()))
        }
        state.withLock { $0.reporting -= 1 }
        return true
    }

    /// - Returns: The keys for which `pending` is to be reported.
    private func keep(
        _ writes: [SettingsStoreBatch.Entry], over stored: (String) -> Data?
    ) -> [SettingsService.StorageKey]? {
        feed.hideChanges(under: self)
        return atOneMoment {
            writes.map { stored($0.key.name) }
        } _: { state, stored -> [SettingsService.StorageKey]? in
            if state.isClosed { return nil }
            if state.writes.isEmpty { state.forks = system.forkCount() }
            var new: [SettingsService.StorageKey] = []
            var changes: [SettingsStoreChange] = []
            for (write, stored) in zip(writes, stored) {
                let name = write.key.name
                let present = state.writes[name]
                state.lastNumber += 1
                let next = Write(
                    key: write.key, data: write.data, stored: present.map(\.stored) ?? stored, number: state.lastNumber)
                state.writes[name] = next
                state.size += next.size - (present?.size ?? 0)
                if state.reported.insert(name).inserted { new.append(write.key) }
                let old = present.map(\.data) ?? stored
                if old != write.data { changes.append(.init(name: name, from: old, to: write.data)) }
            }
            if !new.isEmpty { state.reporting += 1 }
            count.store(state.writes.count, ordering: .releasing)
            feed.publishHidden(changes, origin: .local)
            return new
        }
    }

    /// Leaves out those changes of stored values that change nothing that is in force. Called inside the lock of the store's memory.
    func visible(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin
    ) -> [SettingsStoreChange] {
        state.withLock { $0.visible(changes, origin: origin) }
    }

    // MARK: Storing

    /// Some of the writes, at a moment.
    struct Selection: Sendable {
        fileprivate var writes: [Write] = []

        /// What is to be stored.
        var entries: [SettingsStoreBatch.Entry] {
            writes.compactMap { $0.isStored ? nil : .init(key: $0.key, data: $0.data) }
        }

        /// The same writes, each by itself.
        var single: [Selection] { writes.map { Selection(writes: [$0]) } }
    }

    /// Returns all writes, or those of a selection that are still pending.
    func select(from selection: Selection? = nil) -> Selection {
        state.withLock { state in
            guard let selection else { return Selection(writes: Array(state.writes.values)) }
            return Selection(
                writes: selection.writes.compactMap { write in
                    state.writes[write.key.name].flatMap { $0.number == write.number ? $0 : nil }
                })
        }
    }

    /// Leaves out what others have stored, when the writes are stored. Called while nothing else can change the store.
    func markStoredByOthers() {
        state.withLock { state in
            for (name, write) in state.writes where write.stored == write.data { state.writes[name]?.isStored = true }
        }
    }

    /// Records that writes that were not repeated since are not to be stored again. They stay in force until they are ended.
    func markStored(_ selection: Selection) {
        state.withLock { state in
            for write in selection.writes where state.writes[write.key.name]?.number == write.number {
                state.writes[write.key.name]?.isStored = true
            }
        }
    }

    /// Removes writes that were not repeated since, because the store has them or they are given up. Listeners are then told what
    /// the store holds, if that differs.
    ///
    /// - Parameters:
    ///   - origin: The origin of such a change.
    ///   - changes: Changes of the store that are published together with these.
    func end(
        _ selection: Selection, origin: SettingsService.Origin, with changes: [SettingsStoreChange] = []
    ) {
        state.withLock { state in
            var changes = state.visible(changes, origin: origin)
            for write in selection.writes {
                guard let present = state.writes[write.key.name], present.number == write.number else { continue }
                state.writes[write.key.name] = nil
                state.size -= present.size
                if present.stored != present.data {
                    changes.append(.init(name: write.key.name, from: present.data, to: present.stored))
                }
            }
            count.store(state.writes.count, ordering: .releasing)
            feed.publishHidden(changes, origin: origin)
        }
    }

    /// In the child of a fork, gives up the writes of the parent process, which stores them. The caller flushes the feed.
    ///
    /// - Returns: Whether there were any.
    package func dropInherited() -> Bool {
        let inherited = state.withLock { state -> Selection? in
            if state.writes.isEmpty || state.forks == system.forkCount() { return nil }
            // What the parent has reported, or would report, says nothing about this process.
            (state.reported, state.reporting) = ([], 0)
            return Selection(writes: Array(state.writes.values))
        }
        guard let inherited else { return false }
        // Not what another thread of this process keeps meanwhile.
        end(inherited, origin: .external)
        return true
    }

    /// Keeps no further writes.
    ///
    /// - Returns: False, with nothing changed, if there are writes that are not stored.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = state.writes.values.allSatisfy(\.isStored)
            return state.isClosed
        }
    }

    /// Whether all writes are stored that were reported as pending, and this was not reported yet. Records that it is.
    private func takeRecovery() -> Bool {
        state.withLock { state in
            guard state.writes.isEmpty, !state.reported.isEmpty, state.reporting == 0 else { return false }
            state.reported = []
            return true
        }
    }

    /// Reports `recovered` if that is due.
    func reportRecovery(in description: String) {
        if takeRecovery() { feed.report(SettingsError(.recovered, store: description)) }
    }

    // MARK: Attempts

    /// Repeats an attempt to store the writes in the background, until it succeeds. The first error of each kind is reported.
    ///
    /// - Parameters:
    ///   - description: The store's name in messages.
    ///   - code: The code of the error that was reported last.
    ///   - store: Stores the writes, without waiting for other processes. It is kept until it succeeds, and should keep the store.
    func attempt(
        for description: String, after pause: Duration = CoreTimings.firstPendingPause,
        reported code: SettingsError.Code? = nil, _ store: @escaping @Sendable () throws -> Void
    ) {
        if isAttempting.exchange(true, ordering: .acquiringAndReleasing) { return }
        system.schedule(pause) { [self] in
            isAttempting.store(false, ordering: .releasing)
            do {
                try store()
            } catch SettingsError.Code.busy {
                let next = min(pause * 2, CoreTimings.longestPendingPause)
                attempt(for: description, after: next, reported: code, store)
            } catch {
                let error = SettingsError.wrap(error, as: .notSaved, store: description)
                if error.code != code { feed.report(error) }
                attempt(for: description, after: CoreTimings.pendingFailurePause, reported: error.code, store)
            }
        }
    }
}

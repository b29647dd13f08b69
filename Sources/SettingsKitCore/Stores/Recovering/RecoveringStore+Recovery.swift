import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Opens the store, and writes the changes that were made meanwhile.
//
// One thread at a time does so, without a lock: it runs foreign code (listeners of the store), which may read and write settings.
// So changes may arrive until the end. The recovery ends when it finds none left.
extension RecoveringStore {
    var openedStore: (any SettingsStore)? { state.withLock { $0.store } }

    // MARK: When

    /// Begins attempts in the background, with growing pauses.
    package func begin() {
        tryInBackground(after: CoreTimings.firstRecoveryPause)
    }

    private func tryInBackground(after pause: Duration) {
        timing.schedule(pause) { [weak self] in
            guard let self, openedStore == nil else { return }
            if isTurn(isForced: true) { recover() }
            if openedStore == nil { tryInBackground(after: min(pause * 2, CoreTimings.longestRecoveryPause)) }
        }
    }

    /// Starts one attempt in the background if the last one was a while ago. Does not wait.
    func tryInBackgroundIfDue() {
        let isDue = state.withLock { state in
            if state.isTrying || state.store != nil || state.nextTry > .now { return false }
            state.nextTry = .now + timing.pauseBetweenUses
            return true
        }
        guard isDue else { return }
        timing.schedule(.zero) { [weak self] in
            if let self, isTurn(isForced: true) { recover() }
        }
    }

    /// Returns the store if it is open; tries to open it if the last attempt was a while ago.
    func storeIfDue() -> (any SettingsStore)? {
        if let store = openedStore { return store }
        guard isTurn(isForced: false) else { return nil }
        recover()
        return openedStore
    }

    /// Tries to open the store unless it is open, or another thread is trying.
    ///
    /// - Returns: ``unavailability``.
    package func tryNow() -> SettingsError? {
        if isTurn(isForced: true) { recover() }
        return unavailability
    }

    /// Returns the store; tries to open it.
    ///
    /// - Throws: ``unavailability``.
    func requiredStore() throws(SettingsError) -> any SettingsStore {
        if let store = openedStore { return store }
        _ = tryNow()
        return try state.withLock { state throws(SettingsError) in
            guard let store = state.store else { throw state.reason }
            return store
        }
    }

    /// Returns whether the caller must try; no other thread does until ``recover()`` has returned.
    private func isTurn(isForced: Bool) -> Bool {
        state.withLock { state in
            if state.isTrying || state.store != nil { return false }
            if !isForced && state.nextTry > .now { return false }
            state.isTrying = true
            return true
        }
    }

    /// Delays a write for a moment, so that the recovery can end although writes keep arriving. No longer, because the recovery may
    /// be waiting for the writer.
    func waitForRecovery() {
        let pause = hindrance.load(ordering: .relaxed)
        if pause > 0 { timing.wait(.microseconds(pause)) }
    }

    // MARK: How

    /// Tries to open the store, once.
    private func recover() {
        let failure: SettingsError?
        do {
            try moveChanges(try open())
            failure = nil
        } catch {
            failure = .wrap(error, as: .storeUnavailable, store: storeDescription)
        }
        hindrance.store(0, ordering: .relaxed)
        let isNew = state.withLock { state in
            state.isTrying = false
            state.nextTry = .now + timing.pauseBetweenUses
            guard let failure else { return false }
            defer { state.reason = failure }
            return state.reason.description != failure.description
        }
        if let failure {
            if isNew { ownFeed.report(failure) }
        } else {
            ownFeed.flush()
            ownFeed.report(SettingsError(.recovered, store: storeDescription))
        }
    }

    private func moveChanges(_ store: any SettingsStore) throws {
        guard let feed = store.feed, feed.isExhaustive else {
            preconditionFailure("A store that is waited for must publish all of its changes.")
        }
        state.withLock { $0.published = [:] }
        let subscription = feed.observe(publishingOn: ownFeed) { [weak self] changes, origin in
            self?.publish(changes, origin: origin)
        }
        do {
            // Read after the subscription has begun, which publishes all later changes.
            var contents: [String: Data] = [:]
            for name in try store.keys() where SettingsService.StorageKey.isValid(name) {
                contents[name] = try store.get(.init(name, scope: .defaults))
            }
            repeat { try carryOutPending(on: store) } while !goOver(to: store, holding: contents, subscription)
        } catch {
            subscription.cancel()
            state.withLock { $0.published = nil }
            throw error
        }
    }

    /// Makes the waiting changes, until there is none left: others may arrive meanwhile.
    ///
    /// A change that the store rejects for its content, not because it could not write, is reported and discarded.
    private func carryOutPending(on store: any SettingsStore) throws {
        while true {
            let pending = state.withLock { $0.pending }
            if pending.isEmpty { return }
            try carryOut(Array(pending.values), on: store)
            state.withLock { state in
                // A name that was set again meanwhile still waits.
                for (name, write) in pending where state.pending[name] == write { state.pending[name] = nil }
            }
            // Delay writes longer each time, if changes arrive faster than they are made.
            hindrance.store(min(10_000, hindrance.load(ordering: .relaxed) + 20), ordering: .relaxed)
        }
    }

    private func carryOut(_ writes: [SettingsStoreBatch.Entry], on store: any SettingsStore) throws {
        do {
            _ = try store.apply(SettingsStoreBatch(writes: writes, options: .init(waitsForAgreement: false)))
        } catch {
            let key = writes.count == 1 ? writes.first?.key : nil
            let error = SettingsError.wrap(error, as: .writeFailed, key: key, store: store.storeDescription)
            if error.isOfStore { throw error }
            guard writes.count > 1 else { return ownFeed.report(error) }
            for write in writes { try carryOut([write], on: store) }
        }
    }

    /// Passes everything to the store from now on, and publishes the differences from the values in memory.
    ///
    /// - Parameters:
    ///   - contents: The store's values when the subscription began.
    ///   - subscription: The subscription to the store's feed.
    /// - Returns: false, with nothing changed, if changes have arrived that are still to be made.
    private func goOver(
        to store: any SettingsStore, holding contents: [String: Data], _ subscription: SettingsService.Subscription
    ) -> Bool {
        state.withLock { state in
            guard state.pending.isEmpty else { return false }
            var stored = contents
            for (name, data) in state.published ?? [:] { stored[name] = data }
            let names = Set(stored.keys).union(state.contents.keys)
            let changes = names.compactMap { name in
                state.contents[name] == stored[name]
                    ? nil : SettingsStoreChange(name: name, from: state.contents[name], to: stored[name])
            }
            ownFeed.publish(changes, origin: .external)
            (state.store, state.subscription) = (store, subscription)
            (state.contents, state.published, state.reported) = ([:], nil, [])
            ownFeed.becomeExhaustive()
            return true
        }
    }

    /// Records the store's changes. Called inside the store's lock.
    private func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        state.withLock { state in
            if state.store != nil { return ownFeed.publish(changes, origin: origin) }
            for change in changes { state.published?[change.name] = .some(change.newData) }
        }
    }
}

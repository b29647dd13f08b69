#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Delivering what has been committed, one event at a time, outside of every lock.
extension ScopeConnection {
    /// After so many deliveries in a row a thread passes the work on, so that other threads' changes cannot keep its `set`
    /// from returning.
    private static var deliveriesInARow: Int { 256 }

    /// Notifies those who listen to a name that setting its value has failed, in order with its changes.
    func notify(_ name: String, of failure: SettingsError) {
        state.withLock { state in
            for entry in state.settings.all(named: name) where !entry.listeners.isEmpty {
                state.events.append(failure, for: entry.listeners)
            }
        }
        deliver()
    }

    /// Delivers what waits, unless another thread does. Called outside of every lock but that of a serialising store, which
    /// is released before anything is delivered.
    func deliver() {
        if ReentrancyMark.postpone(self) { return }
        let (begins, released) = state.withLock { ($0.events.begin(), $0.events.takeReleased()) }
        withExtendedLifetime(released) {}
        if begins { deliverNext() }
    }

    /// One thread at a time is here.
    private func deliverNext() {
        for _ in 0..<Self.deliveriesInARow {
            switch state.withLock({ $0.nextEvent() }) {
            case .change(let change, let setting)?: deliver(change, of: setting)
            case .failure(let failure, let listeners)?: for listener in listeners { listener.deliver(failure) }
            case .changeSet(let changes, let listeners)?:
                let changes = changes.origin == .external ? withoutHeldBack(changes) : changes
                for listener in listeners { listener.deliver(changes) }
            case .replacement(let replacement)?: deliver(replacement)
            case nil: return
            }
        }
        Task.detached { self.deliverNext() }
    }

    /// Leaves out settings that this program uses, and whose new bytes are not a value of any of them. They were checked
    /// just before: a commit's changes are delivered before the set of them.
    private func withoutHeldBack(_ changes: SettingsService.ChangeSet) -> SettingsService.ChangeSet {
        state.withLock { state in
            let keys = changes.keys.filter { key in
                let entries = state.settings.all(named: key.name)
                return entries.isEmpty || !entries.allSatisfy(\.isHeldBack)
            }
            return .init(keys: keys, origin: changes.origin)
        }
    }

    // MARK: One setting

    private func deliver(_ change: EncodedChange, of setting: any CachedSetting) {
        var newValue: (any Sendable)?
        var signal = change.sequence
        if change.isFromOutside && setting.checksChangesFromOutside {
            let (value, problem) = setting.decode(change.newData)
            newValue = value
            let (listeners, hasNewValueInForce) = noteCheck(of: change, of: setting, isGood: problem == nil)
            // Readers that have seen a later commit, of undecodable bytes, have read the value from before this change; also
            // those that have begun since.
            if hasNewValueInForce { signal = .max }
            if let problem {
                for listener in listeners where listener.since < change.sequence { listener.deliver(problem) }
                return
            }
        }
        let assumed = state.withLock { state in
            state.settings.update(setting) { entry in
                defer { entry.assumedData = nil }
                return entry.assumedData
            } ?? nil
        }
        var change = change
        if let assumed {
            // Nothing has changed for those who receive values, if undecodable bytes were replaced by the ones from before,
            // or a store without a feed was read before it had published. Those who read may have seen other bytes.
            if change.newData == assumed { return signalListeners(of: change, setting, signal) }
            change.oldData = assumed
        }
        notifyListeners(of: change, setting, newValue: newValue ?? change.newValue?.value, signal: signal)
    }

    /// Notes whether the new bytes of a change from outside are a value.
    ///
    /// - Returns: The listeners; and whether the new bytes are the last good ones now, in the place of older ones that were
    ///   read.
    private func noteCheck(
        of change: EncodedChange, of setting: any CachedSetting, isGood: Bool
    ) -> (listeners: [SettingListener], hasNewValueInForce: Bool) {
        let (listeners, hasNewValueInForce) = state.withLock { state in
            let events = state.events
            return state.settings.update(setting) { entry in
                (
                    entry.listeners,
                    entry.noteCheck(of: change, isGood: isGood, hasLater: events.isWaiting(entry.lastEvent))
                )
            } ?? ([], false)
        }
        // An older value may be cached in the place of undecodable bytes that came after these.
        if hasNewValueInForce { setting.invalidate(stored: nil) }
        return (listeners, hasNewValueInForce)
    }

    /// - Parameters:
    ///   - newValue: The new value, if it is decoded already.
    ///   - signal: What listeners receive that read the value themselves; nil for the number of the commit. The greatest
    ///     number is for all listeners, also those that have begun after the commit.
    private func notifyListeners(
        of change: EncodedChange, _ setting: any CachedSetting, newValue: (any Sendable)? = nil, signal: UInt64? = nil
    ) {
        guard let entry = state.withLock({ $0.settings[setting] }), !entry.listeners.isEmpty else { return }
        let signal = signal ?? change.sequence
        let listeners = entry.listeners.filter { $0.since < signal }
        var decoded: DecodedChange?
        // Before any listener is called, because it takes time: no callback may begin after its listener was cancelled.
        if listeners.contains(where: \.needsValues) {
            decoded = decode(change, of: setting, newValue: newValue, lastTold: entry.lastTold)
        }
        let replaced = state.withLock { state in
            state.settings.update(setting) { entry in
                guard !entry.listeners.isEmpty else { return nil as (any Sendable)? }
                defer { entry.lastTold = (change.newData, decoded?.newValue) }
                return entry.lastTold?.value
            }
        }
        withExtendedLifetime(replaced) {}
        for listener in listeners { listener.deliver(decoded, signal: signal) }
    }

    /// Lets those listeners read that receive no values.
    private func signalListeners(of change: EncodedChange, _ setting: any CachedSetting, _ signal: UInt64? = nil) {
        let signal = signal ?? change.sequence
        let listeners = state.withLock { $0.settings[setting]?.listeners } ?? []
        for listener in listeners where listener.since < signal && !listener.needsValues {
            listener.deliver(nil, signal: signal)
        }
    }

    private func decode(
        _ change: EncodedChange, of setting: any CachedSetting, newValue: (any Sendable)?,
        lastTold: (data: Data?, value: (any Sendable)?)?
    ) -> DecodedChange {
        let (newValue, problem) = newValue.map { ($0, nil) } ?? setting.decode(change.newData)
        let isKnown = lastTold.map { $0.data == change.oldData } ?? false
        let oldValue = isKnown ? lastTold?.value : nil
        return DecodedChange(
            oldValue: oldValue ?? setting.decode(change.oldData).value, newValue: newValue, origin: change.origin,
            problem: problem)
    }

    // MARK: Another store

    /// Notifies listeners of what differs between the store that was replaced and the present one.
    private func deliver(_ replacement: StoreReplacement) {
        let stored = contents(of: store, names: replacement.names)
        for setting in state.withLock({ $0.settings.listenedTo }) where replacement.names.contains(setting.name) {
            let change = state.withLock { state in
                // What has changed since is delivered later, and began with the bytes to compare with.
                let waiting = state.events.firstChange(of: setting)
                let new = if let waiting { waiting.oldData } else { stored[setting.name] }
                let events = state.events
                return state.settings.update(setting) { entry in
                    let old = entry.assumedData ?? entry.lastTold.map(\.data) ?? replacement.contents[setting.name]
                    // Listeners that have begun since were not notified of anything.
                    let hasOldListeners = entry.listeners.contains { $0.since < replacement.sequence }
                    entry.assumedData = hasOldListeners || events.isWaiting(entry.lastEvent) ? .some(new) : nil
                    return EncodedChange(
                        oldData: old, newData: new, origin: .external, isFromOutside: false,
                        sequence: replacement.sequence)
                }
            }
            guard let change else { continue }
            if change.oldData != change.newData {
                notifyListeners(of: change, setting)
            } else if replacement.contents[setting.name] != change.newData {
                // A store without an exhaustive feed had changed unnoticed, and those who read it have seen that.
                signalListeners(of: change, setting)
            }
        }
        let differing = replacement.names.filter { name in
            replacement.contents[name] != stored[name] || replacement.changedNames.contains(name)
        }
        if differing.isEmpty { return }
        let keys = Set(differing.map { SettingsService.StorageKey($0, scope: scope) })
        for listener in replacement.groups { listener.deliver(.init(keys: keys, origin: .external)) }
    }
}

extension ScopeConnection.State {
    /// Takes the next event; nil if there is none, and then delivering has ended.
    fileprivate mutating func nextEvent() -> PendingEvents.Event? {
        let event = events.next()
        if case .change(_, let setting)? = event { settings.update(setting) { $0.waitingCount -= 1 } }
        return event
    }
}

extension SettingEntry {
    /// Notes whether the new bytes of a change from outside are a value.
    ///
    /// - Parameter hasLater: Whether later changes wait.
    /// - Returns: Whether the new bytes are the last good ones now, in the place of older ones that were read.
    fileprivate mutating func noteCheck(of change: EncodedChange, isGood: Bool, hasLater: Bool) -> Bool {
        guard isGood else {
            // Unless a change without listeners was made meanwhile.
            if assumedData == nil, lastGood != nil || hasLater { assumedData = .some(change.oldData) }
            return false
        }
        // Unless it is about later changes.
        guard let lastGood, lastGood.commit <= change.sequence else { return false }
        self.lastGood = hasLater ? (data: change.newData, commit: lastGood.commit, isRead: false) : nil
        return hasLater && lastGood.isRead
    }
}

/// Delivers committed changes, one event at a time, outside of every lock.
extension ScopeConnection {
    /// The number of deliveries in a row after which a thread passes the work on, so that other threads' changes cannot keep its
    /// `set` from returning.
    private static var deliveriesInARow: Int { 256 }

    /// Delivers the waiting events, unless another thread does. Called outside of every lock but that of a serializing store, which
    /// is released before any delivery.
    func deliver() {
        if ReentrancyMark.postpone(self) { return }
        let (begins, released) = state.withLock { ($0.events.begin(), $0.events.removeReleased()) }
        withExtendedLifetime(released) {}
        if begins { deliverNext() }
    }

    private var isLayered: Bool { store?.isLayered ?? false }

    /// One thread at a time is here.
    private func deliverNext() {
        for _ in 0..<Self.deliveriesInARow {
            switch state.withLock({ $0.nextEvent() }) {
            case .change(let change, let setting)?: deliver(change, of: setting)
            case .changeSet(let changes, let listeners)?:
                let changes = changes.origin == .external || isLayered ? withoutHeldBack(changes) : changes
                for listener in listeners { listener.deliver(changes) }
            case .replacement(let replacement)?: deliver(replacement)
            case nil: return
            }
        }
        Task.detached { self.deliverNext() }
    }

    /// Removes the settings that this program uses and whose new bytes are not a value of any of them. They were checked just
    /// before: a commit's changes are delivered before the set of them.
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
        var change = change
        let isLayered = change.isLayered
        var newValue = change.newValue?.value
        var signal = change.sequence
        // The value in force while a layer holds bytes that the setting rejects.
        var inForce: StoredValue?
        if (change.isFromOutside || isLayered) && setting.checksChangesFromOutside {
            // Resolved before the check discards the last good bytes, which may be the old value.
            let old = isLayered ? setting.resolve(change.old, set: nil).inForce : change.old
            let resolution = setting.resolve(change.new, set: change.newValue)
            report(resolution.rejections)
            let check = recordCheck(of: change, from: old, resolution, of: setting)
            // Readers that have seen a later commit of undecodable bytes have read the value from before this change. So have
            // readers that have begun since.
            if check.hasNewValueInForce { signal = .max }
            if check.hasRejection, !isLayered || check.isOutdated { return }
            newValue = resolution.value
            if isLayered { (change.old, change.new) = (old, resolution.inForce) }
            if isLayered && !resolution.rejections.isEmpty { inForce = resolution.inForce }
        }
        let (assumed, isUnchanged) = removeAssumed(of: setting, change, isLayered: isLayered, inForce: inForce)
        if let assumed { change.old = assumed }
        if isUnchanged {
            // Readers of a store without layers may have seen other bytes.
            if !isLayered { signalListeners(of: change, setting, signal) }
        } else {
            notifyListeners(of: change, setting, newValue: newValue, signal: signal)
        }
    }

    /// Removes the bytes that listeners assume to be stored.
    ///
    /// - Returns: These bytes; and whether listeners to values see no change: because undecodable bytes were replaced by the ones
    ///   from before, a store without a feed was read before it had published, or another layer is in force.
    private func removeAssumed(
        of setting: any CachedSetting, _ change: EncodedChange, isLayered: Bool, inForce: StoredValue?
    ) -> (assumed: StoredValue?, isUnchanged: Bool) {
        state.withLock { state in
            state.settings.update(setting) { entry in
                let assumed = entry.assumed
                entry.assumed = inForce
                let isUnchanged = (isLayered || assumed != nil) && change.new == assumed ?? change.old
                entry.isHeldBack = isLayered && isUnchanged
                return (assumed, isUnchanged)
            } ?? (nil, false)
        }
    }

    /// Reports the stored values that the setting rejects, once for each cause.
    func report<Value>(_ rejections: [Resolution<Value>.Rejection]) {
        for rejection in rejections { reportOnce(rejection.error, bytes: rejection.candidate.data) }
    }

    /// Records whether the new bytes of a change are a value.
    ///
    /// - Parameter old: The value in force before.
    /// - Returns: Whether the changed bytes are external and no value; whether they are now the last good ones, in place of older
    ///   ones that were read; and whether the program has replaced bad ones meanwhile.
    private func recordCheck(
        of change: EncodedChange, from old: StoredValue, _ resolution: Resolution<any Sendable>,
        of setting: any CachedSetting
    ) -> (hasRejection: Bool, hasNewValueInForce: Bool, isOutdated: Bool) {
        let changedLayers = change.new.layersThatDiffer(from: change.old)
        let rejection =
            change.isFromOutside
            ? resolution.rejections.first { changedLayers.contains($0.candidate.layer) } : nil
        // Also check layers below the value in force: when a layer above is removed later, they may hold other bytes.
        let good = change.new.all.filter { candidate in
            candidate == resolution.candidate
                || changedLayers.contains(candidate.layer) && setting.problem(with: candidate) == nil
        }
        typealias Noted = (hasNewValueInForce: Bool, isOutdated: Bool)
        let noted: Noted? = state.withLock { state in
            let events = state.events
            let lastGood = state.store?.feed.lastGood
            return state.settings.update(setting) { entry in
                let hasLater = events.isWaiting(entry.lastEvent)
                let hasNewValueInForce = entry.recordGood(good, of: change, hasLater: hasLater, lastGood)
                let isOutdated = hasLater && rejection.map { entry.lastGood[$0.candidate.layer] == nil } ?? false
                if let rejection {
                    entry.recordBadLayer(rejection.candidate, of: change, from: old, hasLater: hasLater, lastGood)
                }
                return (hasNewValueInForce, isOutdated)
            }
        }
        guard let (hasNewValueInForce, isOutdated) = noted else { return (false, false, false) }
        // An older value may be cached in place of undecodable bytes that came after these.
        if hasNewValueInForce { setting.invalidate() }
        return (rejection != nil, hasNewValueInForce, isOutdated)
    }

    /// - Parameters:
    ///   - newValue: The new value, if it is already decoded.
    ///   - signal: The number for listeners that read the value themselves; nil for the number of the commit. The greatest number
    ///     notifies all listeners, including those that have begun after the commit.
    private func notifyListeners(
        of change: EncodedChange, _ setting: any CachedSetting, newValue: (any Sendable)? = nil, signal: UInt64? = nil
    ) {
        guard let entry = state.withLock({ $0.settings[setting] }), !entry.listeners.isEmpty else { return }
        let signal = signal ?? change.sequence
        let listeners = entry.listeners.filter { $0.since < signal }
        var decoded: DecodedChange?
        // Decoded before any listener is called, because it takes time: no callback may begin after its listener was cancelled.
        if listeners.contains(where: \.needsValues) {
            decoded = decode(change, of: setting, newValue: newValue, lastDelivered: entry.lastDelivered)
        }
        let replaced = state.withLock { state in
            state.settings.update(setting) { entry in
                guard !entry.listeners.isEmpty else { return nil as (any Sendable)? }
                defer { entry.lastDelivered = (change.new, decoded?.newValue) }
                return entry.lastDelivered?.value
            }
        }
        withExtendedLifetime(replaced) {}
        for listener in listeners { listener.deliver(decoded, signal: signal) }
    }

    /// Notifies the listeners that read the value themselves.
    private func signalListeners(of change: EncodedChange, _ setting: any CachedSetting, _ signal: UInt64? = nil) {
        let signal = signal ?? change.sequence
        let listeners = state.withLock { $0.settings[setting]?.listeners } ?? []
        for listener in listeners where listener.since < signal && !listener.needsValues {
            listener.deliver(nil, signal: signal)
        }
    }

    private func decode(
        _ change: EncodedChange, of setting: any CachedSetting, newValue: (any Sendable)?,
        lastDelivered: (stored: StoredValue, value: (any Sendable)?)?
    ) -> DecodedChange {
        func value(of stored: StoredValue) -> any Sendable {
            let resolution = setting.resolve(stored, set: nil)
            report(resolution.rejections)
            return resolution.value
        }
        let newValue = newValue ?? value(of: change.new)
        let isKnown = lastDelivered.map { $0.stored == change.old } ?? false
        let oldValue = isKnown ? lastDelivered?.value : nil
        return DecodedChange(
            oldValue: oldValue ?? value(of: change.old), newValue: newValue, isSet: !change.new.isEmpty,
            origin: change.origin)
    }

    // MARK: Another store

    /// Notifies listeners of the differences between the replaced store and the present one.
    private func deliver(_ replacement: StoreReplacement) {
        let stored = contents(of: store, names: replacement.names)
        for setting in state.withLock({ $0.settings.listenedTo }) where replacement.names.contains(setting.name) {
            deliver(replacement, of: setting, to: stored[setting.name] ?? .nothing)
        }
        let differing = replacement.names.filter { name in
            replacement.contents[name] != stored[name] || replacement.changedNames.contains(name)
        }
        if differing.isEmpty { return }
        let keys = Set(differing.map { SettingsService.StorageKey($0, scope: scope) })
        for listener in replacement.groups { listener.deliver(.init(keys: keys, origin: .external)) }
    }

    private func deliver(_ replacement: StoreReplacement, of setting: any CachedSetting, to stored: StoredValue) {
        // Later changes are delivered later; the first of them starts from the bytes to compare with.
        let waiting = state.withLock { $0.events.firstChange(of: setting) }
        let new = inForce(waiting?.old ?? stored, of: setting)
        let before = inForce(replacement.contents[setting.name] ?? .nothing, of: setting)
        let change = state.withLock { state in
            let events = state.events
            return state.settings.update(setting) { entry in
                let old = entry.assumed ?? entry.lastDelivered.map(\.stored) ?? before
                // Listeners that have begun since were not notified of anything.
                let hasOldListeners = entry.listeners.contains { $0.since < replacement.sequence }
                entry.assumed = hasOldListeners || events.isWaiting(entry.lastEvent) ? new : nil
                return EncodedChange(
                    old: old, new: new, origin: .external, isFromOutside: false, sequence: replacement.sequence)
            }
        }
        guard let change else { return }
        if change.old != change.new {
            notifyListeners(of: change, setting)
        } else if before != change.new {
            // A store without an exhaustive feed has changed without a notification, and its readers have seen that.
            signalListeners(of: change, setting)
        }
    }

    /// Returns the candidate in force in a store with layers.
    private func inForce(_ stored: StoredValue, of setting: any CachedSetting) -> StoredValue {
        guard stored.candidates != nil, setting.checksChangesFromOutside else { return stored }
        return setting.resolve(stored, set: nil).inForce
    }
}

extension ScopeConnection.State {
    /// Removes the next event; nil if there is none, and then delivery has ended.
    fileprivate mutating func nextEvent() -> PendingEvents.Event? {
        let event = events.next()
        if case .change(_, let setting)? = event { settings.update(setting) { $0.waitingCount -= 1 } }
        return event
    }
}

extension SettingEntry {
    /// Records which layers hold a value of the setting, or nothing.
    ///
    /// - Parameters:
    ///   - good: The candidates that are a value.
    ///   - hasLater: Whether later changes wait.
    /// - Returns: Whether new bytes are now the last good ones, in place of older ones that were read.
    fileprivate mutating func recordGood(
        _ good: [SettingsStoreCandidate], of change: EncodedChange, hasLater: Bool, _ lastGoodBytes: LastGoodBytes?
    ) -> Bool {
        var hasNewValueInForce = false
        for candidate in good {
            lastGoodBytes?.forget(layer: candidate.layer, named: setting.name, ifNoted: candidate.data)
        }
        for layer in lastGood.layers {
            // Unless it is about later changes.
            let data = change.new.data(in: layer)
            guard let known = lastGood[layer], known.commit <= change.sequence,
                data == nil || good.contains(where: { $0.layer == layer })
            else { continue }
            if hasLater {
                lastGood[layer] = .init(data: data, commit: known.commit)
                lastGoodBytes?.change(to: data, layer: layer, named: setting.name)
            } else {
                lastGood[layer] = nil
                lastGoodBytes?.forget(layer: layer, named: setting.name)
            }
            if hasLater && known.isRead { hasNewValueInForce = true }
        }
        return hasNewValueInForce
    }

    /// Records that a layer holds bytes that the setting rejects.
    fileprivate mutating func recordBadLayer(
        _ candidate: SettingsStoreCandidate, of change: EncodedChange, from old: StoredValue, hasLater: Bool,
        _ lastGoodBytes: LastGoodBytes?
    ) {
        let known = lastGood[candidate.layer]
        // Unless a change without listeners was made meanwhile.
        if assumed == nil, known != nil || hasLater { assumed = old }
        isHeldBack = true
        if let known, known.commit <= change.sequence {
            let replaced = change.old.data(in: candidate.layer)
            lastGoodBytes?.record(
                known.data, insteadOf: candidate, replacing: replaced, named: setting.name, isBad: true)
        }
    }
}

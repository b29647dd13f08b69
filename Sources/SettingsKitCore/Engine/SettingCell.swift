#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A setting in a connection: what is in force, the changes that follow, and the listeners.
///
/// A change waits in the cell until it has been delivered. It gets one verdict before: by the first reader that needs it, or by the
/// thread that delivers. Readers get what is in force after all changes, listeners each step. While nothing waits and the store
/// publishes all of its changes, the value is in the setting's cache, and what is in force is only kept here if reading the store
/// would not give the same, or if listeners must know it.
struct SettingCell {
    let setting: any CachedSetting
    var listeners: [SettingListener] = []
    /// The values that are being written.
    var pendingSets: [SetValue] = []
    /// What is in force before the first waiting change; nil if the store must be read.
    var inForce: ValueInForce?
    /// The changes that were not delivered yet, in the order of their commits. Those with a verdict come first.
    private(set) var changes: [Waiting] = []
    /// The number of changes with a verdict.
    private var judgedCount = 0
    /// The commits of the last delivered change, if it did not change what is in force.
    private var heldBack: ClosedRange<UInt64>?

    /// A change; what was in force before, if that does not follow from the change before; and what is in force after it, once that is
    /// known.
    typealias Waiting = (change: CellChange, before: ValueInForce?, verdict: ValueInForce?)

    init(_ setting: any CachedSetting) { self.setting = setting }

    /// Removes a listener.
    ///
    /// - Returns: What is to be released outside of every lock.
    mutating func remove(_ listener: SettingListener) -> ValueInForce? {
        listeners.removeAll { $0 === listener }
        guard listeners.isEmpty, changes.isEmpty, let released = inForce, released.isPlain else { return nil }
        inForce = nil
        return released
    }

    // MARK: Committing

    /// Invalidates the cached value, if a change by this program has no other effect: no listener waits for it, and nothing is
    /// kept. Mutating, so that the cell is not copied.
    ///
    /// - Returns: Whether the change has no other effect.
    mutating func invalidateUnobserved(by change: borrowing SettingsStoreChange) -> Bool {
        guard listeners.isEmpty, pendingSets.isEmpty, inForce == nil, changes.isEmpty else { return false }
        setting.invalidate(by: change)
        return true
    }

    /// Removes the pending value whose bytes are now stored. Nil if another program has written them.
    mutating func removePendingSet(of data: Data?) -> SetValue? {
        guard let data, let index = pendingSets.lastIndex(where: { $0.data == data }) else { return nil }
        return pendingSets.remove(at: index)
    }

    /// Records a change, and invalidates the cached value.
    ///
    /// - Parameters:
    ///   - isExhaustive: Whether the store publishes all of its changes before readers see them.
    ///   - isContinuous: Whether it publishes all of them, so that each begins with what listeners know.
    ///   - hasGroups: Whether listeners to groups must know whether the value in force changes.
    ///   - earlier: What the store held before.
    mutating func record(
        _ change: SettingsStoreChange, newValue: SetValue?, origin: SettingsService.Origin, sequence: UInt64,
        isExhaustive: Bool, isContinuous: Bool, hasGroups: Bool, after earlier: EarlierBytes,
        in events: inout PendingEvents
    ) {
        let isFromOutside = origin == .external && setting.isJudged
        let isLayered = change.newCandidates != nil
        let isWatched = !listeners.isEmpty || isFromOutside || isLayered && hasGroups && setting.isJudged
        if isWatched || !changes.isEmpty {
            if isUnknown, setting.isJudged { begin(with: change.old, after: earlier) }
            let change = CellChange(
                from: change.old, to: change.new, newValue: newValue, origin, isFromOutside: isFromOutside,
                isContinuous: isContinuous, sequence: sequence)
            append(change, in: &events)
        } else {
            var set = newValue
            // A change of another layer does not affect the set value.
            if isLayered, set == nil, change.old.writableData == change.new.writableData { set = inForce?.setValue }
            let next = set.map { ValueInForce(change.new, setValue: $0) }
            events.release(inForce, of: setting)
            if !isExhaustive { events.release(next, of: setting) }
            inForce = isExhaustive ? next : nil
        }
        if origin == .external { earlier.record(change) }
        setting.invalidate(by: change)
    }

    /// Records what is in force before the first change.
    private mutating func begin(with old: StoredValue, after earlier: EarlierBytes) {
        if let value = setting.cachedValue(), old.candidates == nil {
            // The value of these bytes: if they had been rejected, what is in force would be kept.
            let candidate = old.data.map { SettingsStoreCandidate($0) }
            inForce = ValueInForce(old, Resolution(value: value, candidate: candidate))
        } else {
            inForce = ValueInForce(old, named: setting.name, after: earlier)
        }
    }

    private mutating func append(_ change: CellChange, in events: inout PendingEvents) {
        if changes.count >= events.limit, let last = changes.last, !last.change.isConnection,
            // A listener that began after the last one must not receive it.
            !listeners.contains(where: { $0.since >= last.change.sequence })
        {
            events.release(ValueInForce(.nothing, setValue: last.change.newValue), of: setting)
            replaceLast(by: last.change.merged(with: change), in: &events)
        } else {
            changes.append((change, nil, nil))
            events.append(.change(of: setting, commit: change.first))
        }
    }

    /// Replaces the last change by one without a verdict.
    private mutating func replaceLast(by change: CellChange, in events: inout PendingEvents) {
        let last = changes.count - 1
        events.release(changes[last].verdict, of: setting)
        judgedCount = min(judgedCount, last)
        changes[last] = (change, nil, nil)
    }

    /// Records that another store took the place of the last one.
    ///
    /// - Parameter contents: What the replaced store held, if it is not known here.
    mutating func reconnect(
        _ contents: ValueInForce?, isContinuous: Bool, sequence: UInt64, in events: inout PendingEvents
    ) {
        if listeners.isEmpty, changes.isEmpty {
            events.release(inForce, of: setting)
            inForce = nil
        } else if let last = changes.last, last.change.isConnection,
            last.verdict == nil || changes.count >= events.limit
        {
            // With another sequence, a verdict on the store before counts no longer.
            let change = CellChange(
                from: last.change.old, to: .nothing, .external, isConnection: true,
                isContinuous: last.change.isContinuous && isContinuous, sequence: sequence, first: last.change.first)
            replaceLast(by: change, in: &events)
        } else {
            if isUnknown { inForce = contents ?? ValueInForce(.nothing) }
            append(
                CellChange(
                    from: .nothing, to: .nothing, .external, isConnection: true, isContinuous: isContinuous,
                    sequence: sequence),
                in: &events)
        }
        setting.invalidate()
    }

    /// Returns whether commits, the last delivered ones, have not changed what is in force.
    func hasHeldBack(_ commits: ClosedRange<UInt64>) -> Bool {
        heldBack.map { $0.contains(commits.lowerBound) && $0.contains(commits.upperBound) } ?? false
    }

    /// Whether what is in force can only be read in the store.
    var isUnknown: Bool { inForce == nil && changes.isEmpty }

    // MARK: Judging

    /// A change without a verdict.
    struct Unjudged {
        let index: Int
        let change: CellChange
        let before: ValueInForce?
        /// What the new store held when a later change was made, for a connection with another store.
        let found: StoredValue?

        /// Judges the change, outside of every lock.
        ///
        /// - Returns: What is in force after the change and before it, and the error if the store cannot be read.
        func verdict(
            of setting: any CachedSetting, in store: ConnectedStore?, scope: SettingsService.Scope
        ) -> (inForce: ValueInForce, before: ValueInForce, error: SettingsError?) {
            var before = before ?? ValueInForce(change.old)
            // A store that does not publish all of its changes may have changed without a notification.
            let isGap = !change.isConnection && !change.isContinuous && before.stored != change.old
            // It was read when it was connected, after this change and before its publication.
            let isKnown = isGap && before.knowledge == .read && before.stored == change.new
            if isGap && !isKnown { before = ValueInForce(change.old) }
            before = setting.judge(before, after: nil)
            var verdict = isKnown ? before : before.followed(by: change)
            var error: SettingsError?
            if change.isConnection {
                (verdict, error) = contents(of: setting, in: store, scope: scope)
            } else if before.isProvisional, let store {
                let old = ValueInForce(change.old, named: setting.name, after: store.feed.earlier)
                verdict = setting.judge(old, after: nil).followed(by: change)
            }
            return (setting.judge(verdict, after: before), before, error)
        }

        /// Returns what a newly connected store holds, and the error if it cannot be read.
        private func contents(
            of setting: any CachedSetting, in store: ConnectedStore?, scope: SettingsService.Scope
        ) -> (ValueInForce, SettingsError?) {
            // The service may have been released.
            guard let store else { return (ValueInForce(.nothing), nil) }
            do throws(SettingsError) {
                var stored = found
                if stored == nil { stored = try store.read(.init(setting.name, scope: scope)) }
                let inForce = ValueInForce(
                    stored ?? .nothing(in: store), named: setting.name, after: store.feed.earlier,
                    knowledge: found == nil ? .read : .published)
                return (inForce, nil)
            } catch {
                return (ValueInForce(.nothing(in: store), knowledge: .provisional), error)
            }
        }
    }

    /// The first change without a verdict.
    var firstUnjudged: Unjudged? {
        guard judgedCount < changes.count else { return nil }
        let index = judgedCount
        let before = index > 0 ? changes[index - 1].verdict : inForce
        let next = index + 1 < changes.count ? changes[index + 1].change : nil
        let found = next.flatMap { $0.isConnection ? nil : $0.old }
        return Unjudged(index: index, change: changes[index].change, before: before, found: found)
    }

    /// What is in force after all changes that have a verdict; nil if that is not known.
    var lastVerdict: ValueInForce? { judgedCount > 0 ? changes[judgedCount - 1].verdict : inForce }

    /// Records the verdict on a change, unless another thread has, or the change is another one now.
    ///
    /// - Parameter before: What was in force before it, judged.
    /// - Returns: Whether the verdict was recorded.
    mutating func judge(_ unjudged: Unjudged, _ verdict: ValueInForce, after before: ValueInForce) -> Bool {
        guard let current = firstUnjudged, current.change.first == unjudged.change.first,
            current.change.sequence == unjudged.change.sequence, current.found == unjudged.found
        else { return false }
        if current.index == 0, inForce?.resolution == nil { inForce = before }
        if !current.change.isContinuous { changes[current.index].before = before }
        changes[current.index].verdict = verdict
        judgedCount += 1
        return true
    }

    /// Records a judged value in place of the same one that was not judged.
    mutating func settle(_ judged: ValueInForce) {
        if changes.isEmpty, inForce?.isProvisional != true { inForce = judged }
    }

    // MARK: Delivering

    /// What the thread that delivers has to do with a change. An object, because copies would cost more.
    final class Step: Sendable {
        let change: CellChange
        let before: ValueInForce?
        /// What is in force after the change; nil if the change must be judged first.
        let after: ValueInForce?
        /// Whether the value in force is another one, or may be.
        let isNew: Bool
        /// The listeners to notify.
        let listeners: [SettingListener]
        /// What the cell kept. Released with the step.
        private let replaced: ValueInForce?

        init(
            _ change: CellChange, from before: ValueInForce?, to after: ValueInForce?, isNew: Bool,
            _ listeners: [SettingListener], replacing replaced: ValueInForce? = nil
        ) {
            (self.change, self.before, self.after) = (change, before, after)
            (self.isNew, self.listeners, self.replaced) = (isNew, listeners, replaced)
        }
    }

    /// Removes the first change, unless it must be judged before.
    ///
    /// - Parameter commit: The commit that the caller delivers.
    /// - Returns: The step, to be released outside of every lock; nil if the change was discarded.
    mutating func deliver(_ commit: UInt64) -> Step? {
        guard let first = changes.first, first.change.first == commit else { return nil }
        let change = first.change
        if first.verdict == nil, needsVerdict(change) {
            return Step(change, from: nil, to: nil, isNew: false, [])
        }
        changes.removeFirst()
        judgedCount = max(judgedCount - 1, 0)
        let before = first.before ?? inForce
        let after = first.verdict ?? (before ?? ValueInForce(change.old)).followed(by: change)
        // Listeners may not know the last values of a store that does not publish all of its changes, unless the change was known.
        let isCertain = first.verdict == nil || !change.isContinuous && !change.isConnection && after !== before
        let isNew = isCertain || before.map { after.differs(from: $0) } ?? true
        heldBack = isNew ? nil : change.first...change.sequence
        let isKept = !changes.isEmpty || setting.isJudged && (!listeners.isEmpty || !after.isPlain)
        let step = Step(change, from: before, to: after, isNew: isNew, listeners, replacing: inForce)
        inForce = isKept ? after : nil
        return step
    }

    private func needsVerdict(_ change: CellChange) -> Bool {
        if change.isConnection { return true }
        return setting.isJudged
            && (change.isFromOutside || change.isLayered || listeners.contains(where: \.needsValues))
    }
}

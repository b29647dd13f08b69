/// The events of a connection that wait for delivery, in the order of the commits. One thread at a time removes events.
struct PendingEvents {
    enum Event {
        /// The first change that waits in a setting's cell, if it belongs to the commit.
        case change(of: any CachedSetting, commit: UInt64)
        /// The settings that one or more commits have changed.
        case changeSet(SettingsService.ChangeSet, [GroupListener], commits: ClosedRange<UInt64>)
        case replacement(StoreReplacement)
    }

    /// The elements before `head` have been removed. They are nil, because an event must not be released inside the connection's
    /// lock.
    private var events: [Event?] = []
    private var head = 0
    private var changeCount = 0
    private var isBeingDelivered = false
    /// The number that can wait before new ones are merged into them. Tests lower it.
    var limit = CoreLimits.pendingChanges
    /// Values that are to be released outside of the connection's lock.
    private var released: [ValueInForce] = []

    private var isEmpty: Bool { head == events.count }

    /// Returns whether work remains to be done outside of the connection's lock.
    var isWorkDue: Bool { !isEmpty || !released.isEmpty }

    /// Keeps a value until the connection's lock is released, if releasing it could run a user's `deinit`.
    mutating func release(_ value: ValueInForce?, of setting: any CachedSetting) {
        guard let value, value.setValue != nil || value.resolution != nil, !setting.hasPlainValues else { return }
        released.append(value)
    }

    /// Removes the values to release.
    mutating func removeReleased() -> [ValueInForce] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }

    /// Adds an event.
    mutating func append(_ event: Event) {
        if case .change = event { changeCount += 1 }
        events.append(event)
    }

    /// Adds the set of the settings that a commit has changed.
    mutating func append(_ changes: SettingsService.ChangeSet, for listeners: [GroupListener], commit: UInt64) {
        // Merged only for the same listeners, so that none is released inside the connection's lock.
        if events.count - head - changeCount >= limit, let last = events.last,
            case .changeSet(let waiting, let others, let commits)? = last, others.elementsEqual(listeners, by: ===)
        {
            events[events.count - 1] = .changeSet(
                waiting.merged(with: changes), others, commits: commits.lowerBound...commit)
        } else {
            append(.changeSet(changes, listeners, commits: commit...commit))
        }
    }

    /// Begins delivery.
    ///
    /// - Returns: Whether the caller has to deliver, because events wait and no other thread delivers. The caller then calls
    ///   ``next()`` until that returns nil.
    mutating func begin() -> Bool {
        if isBeingDelivered || isEmpty { return false }
        isBeingDelivered = true
        return true
    }

    /// Removes the next event; nil if there is none, and then delivery has ended.
    mutating func next() -> Event? {
        if isEmpty || head >= limit {
            events.removeFirst(head)
            head = 0
        }
        guard head < events.count else {
            isBeingDelivered = false
            return nil
        }
        defer {
            events[head] = nil
            head += 1
        }
        if case .change? = events[head] { changeCount -= 1 }
        return events[head]
    }
}

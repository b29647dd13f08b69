/// The events of a connection that wait for delivery, in the order of the commits. One thread at a time removes events.
struct PendingEvents {
    enum Event {
        case change(EncodedChange, of: any CachedSetting)
        case changeSet(SettingsService.ChangeSet, [GroupListener])
        case replacement(StoreReplacement)
    }

    /// The elements before `head` have been removed. They are nil, because an event must not be released inside the connection's
    /// lock.
    private var events: [Event?] = []
    private var head = 0
    /// The number of events that were removed from the array so far: an event's position is its index plus this.
    private var removedCount = 0
    private var changeCount = 0
    private var isBeingDelivered = false
    /// Values that are to be released outside of the connection's lock.
    private var released: [SetValue] = []

    var isEmpty: Bool { head == events.count }

    /// Returns whether the event at a position still waits.
    func isWaiting(_ position: Int) -> Bool { position >= removedCount + head }

    /// Whether work remains to be done outside of the connection's lock.
    var isWorkDue: Bool { !isEmpty || !released.isEmpty }

    /// Keeps a value until the connection's lock is released, if releasing it could run a user's `deinit`.
    mutating func release(_ value: SetValue?) {
        guard let value, !value.isPlain else { return }
        released.append(value)
    }

    /// Removes the values to release.
    mutating func removeReleased() -> [SetValue] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }

    /// Adds a change of a setting, or merges it into the last one if too many of the setting wait.
    mutating func append(_ change: EncodedChange, to entry: inout SettingEntry) {
        let last = entry.lastEvent
        if entry.waitingCount >= CoreLimits.pendingChanges, isWaiting(last),
            case .change(let waiting, let setting)? = events[last - removedCount]
        {
            release(waiting.newValue)
            events[last - removedCount] = .change(waiting.merged(with: change), of: setting)
            return
        }
        entry.lastEvent = removedCount + events.count
        entry.waitingCount += 1
        events.append(.change(change, of: entry.setting))
        changeCount += 1
    }

    /// Adds the set of the settings that a commit has changed.
    mutating func append(_ changes: SettingsService.ChangeSet, for listeners: [GroupListener]) {
        // Merged only for the same listeners, so that none is released inside the connection's lock.
        if events.count - head - changeCount >= CoreLimits.pendingChanges, let last = events.last,
            case .changeSet(let waiting, let others)? = last, others.elementsEqual(listeners, by: ===)
        {
            events[events.count - 1] = .changeSet(waiting.merged(with: changes), others)
        } else {
            events.append(.changeSet(changes, listeners))
        }
    }

    /// Adds a replacement of the store.
    ///
    /// - Returns: Its position.
    mutating func append(_ replacement: StoreReplacement) -> Int {
        events.append(.replacement(replacement))
        return removedCount + events.count - 1
    }

    /// Returns the first waiting change of a setting.
    func firstChange(of setting: any CachedSetting) -> EncodedChange? {
        for case .change(let change, let other)? in events[head...] where other === setting { return change }
        return nil
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
        if isEmpty || head >= CoreLimits.pendingChanges {
            events.removeFirst(head)
            removedCount += head
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

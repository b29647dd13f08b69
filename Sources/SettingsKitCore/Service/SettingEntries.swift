#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A connection's state of one setting: its listeners, and the values that they have received.
struct SettingEntry {
    let setting: any CachedSetting
    var listeners: [SettingListener] = []
    /// The values that are being written.
    var pendingSets: [SetValue] = []
    /// The stored value, if this program has set it and the store publishes every change. Reading its bytes gives this value
    /// without decoding, so a value stored in a lossy form reads back unchanged in this process.
    var lastSet: SetValue?
    /// The last value that listeners were notified of; decoded if it was decoded for them.
    var lastDelivered: (stored: StoredValue, value: (any Sendable)?)?
    /// The bytes that listeners assume to be stored, if the next change does not start from them: after a change to undecodable
    /// bytes, of which listeners are not notified, and after another store took the place of the last.
    var assumed: StoredValue?
    /// The last good bytes of each layer, from an external change until its new bytes are known to be a value.
    var lastGood = LayerValues()
    /// Whether the store's bytes were committed while the setting was in use. It has then judged them itself, and what other
    /// settings of the name have recorded does not count.
    var hasSeenChange = false
    /// Whether listeners were not notified of the last change, because the value in force did not change.
    var isHeldBack = false
    /// The number of changes of the setting that wait for delivery.
    var waitingCount = 0
    /// The position of the last change in the connection's ``PendingEvents``, or of the last replacement of the store.
    var lastEvent = -1

    init(_ setting: any CachedSetting) { self.setting = setting }

    /// Invalidates the cached value, if a change by this program has no other effect: no listener waits for it, no value is kept
    /// beside its bytes, and no earlier changes are recorded. Mutating, so that the entry is not copied.
    ///
    /// - Returns: Whether the change has no other effect.
    mutating func invalidateUnobserved(
        by change: borrowing SettingsStoreChange, _ events: borrowing PendingEvents
    ) -> Bool {
        guard listeners.isEmpty, pendingSets.isEmpty, lastSet == nil, assumed == nil, lastGood.isEmpty, !isHeldBack,
            !events.isWaiting(lastEvent)
        else { return false }
        setting.invalidate(by: change)
        return true
    }

    /// Removes the pending value whose bytes are now stored. Nil if another program has written them.
    mutating func removePendingSet(of data: Data?) -> SetValue? {
        guard let data, let index = pendingSets.lastIndex(where: { $0.data == data }) else { return nil }
        return pendingSets.remove(at: index)
    }
}

/// The last good bytes of a setting's layers. Most often there are none.
struct LayerValues {
    struct LastGood {
        var data: Data?
        /// The commit that replaced these bytes.
        let commit: UInt64
        /// Whether they were read after that.
        var isRead = false
    }

    private var values: [String?: LastGood]?

    var isEmpty: Bool { values == nil }
    var layers: [String?] { values.map { Array($0.keys) } ?? [] }

    subscript(layer: String?) -> LastGood? {
        get { values?[layer] }
        set {
            if values == nil && newValue == nil { return }
            var values = values ?? [:]
            values[layer] = newValue
            self.values = values.isEmpty ? nil : values
        }
    }
}

/// A value that this program sets, and the bytes that are written for it. An object, because it is passed on with every change, and
/// copies would cost more.
final class SetValue: Sendable {
    let data: Data
    let value: any Sendable
    /// Whether releasing the value runs no `deinit` of a user.
    let isPlain: Bool

    init(_ value: any Sendable, as data: Data) {
        self.data = data
        self.value = value
        isPlain = Self.isPlain(value)
    }

    private static func isPlain<Value: Sendable>(_ value: Value) -> Bool {
        _isPOD(Value.self) || Value.self == String.self
    }
}

/// A connection's settings: by name, and in slots that never move.
struct SettingEntries {
    private var entries: [SettingEntry?] = []
    /// The owner of each slot's entry. Reading it from the entry would copy the entry.
    private var owners: [Owner?] = []
    private var freeSlots: [Int] = []
    private var slots: [String: [Int]] = [:]
    /// The slot of the setting that is expected to change next.
    private var expectedSlot = 0

    private struct Owner {
        let setting: ObjectIdentifier
        let name: String
        /// Whether other settings have, or had, the name.
        var sharesName: Bool
    }

    /// Adds a setting, which `make` creates for its slot.
    mutating func add<Setting: CachedSetting>(_ make: (Int) -> Setting) -> Setting {
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count {
            entries.append(nil)
            owners.append(nil)
        }
        let setting = make(slot)
        entries[slot] = SettingEntry(setting)
        let first = slots[setting.name]?.first
        owners[slot] = Owner(setting: ObjectIdentifier(setting), name: setting.name, sharesName: first != nil)
        if let first { owners[first]?.sharesName = true }
        slots[setting.name, default: []].append(slot)
        return setting
    }

    /// Removes a setting.
    ///
    /// - Returns: Its entry, to be released outside of every lock.
    mutating func remove(_ setting: AnyObject, named name: String) -> SettingEntry? {
        guard let index = slots[name]?.firstIndex(where: { owners[$0]?.setting == ObjectIdentifier(setting) }),
            let slot = slots[name]?.remove(at: index)
        else { return nil }
        if slots[name]?.isEmpty == true { slots[name] = nil }
        freeSlots.append(slot)
        owners[slot] = nil
        defer { entries[slot] = nil }
        return entries[slot]
    }

    /// The entry of a setting; nil if it was removed.
    subscript(setting: any CachedSetting) -> SettingEntry? {
        owns(setting) ? entries[setting.slot] : nil
    }

    /// Returns the last set value of a setting, without copying its entry.
    func lastSet(of setting: any CachedSetting) -> SetValue? {
        owns(setting) ? entries[setting.slot]?.lastSet : nil
    }

    /// Changes the entry of a setting in place. Returns nil if the setting was removed.
    mutating func update<R>(_ setting: any CachedSetting, _ body: (inout SettingEntry) -> R) -> R? {
        owns(setting) ? body(&entries[setting.slot]!) : nil
    }

    /// Records the setting that is about to change. The store publishes the change under its name, which then need not be looked
    /// up.
    mutating func expectChange(of setting: any CachedSetting) { expectedSlot = setting.slot }

    /// Returns whether a setting is still in the table.
    private func owns(_ setting: any CachedSetting) -> Bool {
        owners[setting.slot]?.setting == ObjectIdentifier(setting)
    }

    /// Changes the entries of all settings with a name in place.
    mutating func update(named name: String, _ body: (inout SettingEntry) -> Void) {
        if isExpected(name) { return body(&entries[expectedSlot]!) }
        guard let slots = slots[name] else { return }
        for slot in slots { body(&entries[slot]!) }
    }

    /// Invalidates the cached value of the expected setting, if the change is of that setting and has no other effect. This is the
    /// usual case.
    ///
    /// - Returns: Whether the change has no other effect.
    mutating func invalidateUnobserved(
        by change: borrowing SettingsStoreChange, _ events: borrowing PendingEvents
    ) -> Bool {
        isExpected(change.name) && entries[expectedSlot]!.invalidateUnobserved(by: change, events)
    }

    /// Returns whether a name belongs to the expected setting, and to no other.
    private func isExpected(_ name: String) -> Bool {
        guard expectedSlot < owners.count, let owner = owners[expectedSlot] else { return false }
        return owner.name == name && !owner.sharesName
    }

    /// Changes all entries in place.
    mutating func updateAll(_ body: (inout SettingEntry) -> Void) {
        for slot in entries.indices where entries[slot] != nil { body(&entries[slot]!) }
    }

    func hasEntry(named name: String) -> Bool { slots[name] != nil }

    /// Returns the entries of all settings with a name.
    func all(named name: String) -> [SettingEntry] { slots[name]?.compactMap { entries[$0] } ?? [] }

    /// The settings that have listeners.
    var listenedTo: [any CachedSetting] {
        entries.compactMap { entry in entry.flatMap { $0.listeners.isEmpty ? nil : $0.setting } }
    }
}

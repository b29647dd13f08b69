/// A connection's settings: by name, and in slots that never move.
struct SettingCells {
    private var cells: [SettingCell?] = []
    /// The owner of each slot's cell. Reading it from the cell would copy the cell.
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
        let slot = freeSlots.popLast() ?? cells.count
        if slot == cells.count {
            cells.append(nil)
            owners.append(nil)
        }
        let setting = make(slot)
        cells[slot] = SettingCell(setting)
        let first = slots[setting.name]?.first
        owners[slot] = Owner(setting: ObjectIdentifier(setting), name: setting.name, sharesName: first != nil)
        if let first { owners[first]?.sharesName = true }
        slots[setting.name, default: []].append(slot)
        return setting
    }

    /// Removes a setting.
    ///
    /// - Returns: Its cell, to be released outside of every lock.
    mutating func remove(_ setting: AnyObject, named name: String) -> SettingCell? {
        guard let index = slots[name]?.firstIndex(where: { owners[$0]?.setting == ObjectIdentifier(setting) }),
            let slot = slots[name]?.remove(at: index)
        else { return nil }
        if slots[name]?.isEmpty == true { slots[name] = nil }
        freeSlots.append(slot)
        owners[slot] = nil
        defer { cells[slot] = nil }
        return cells[slot]
    }

    /// Changes the cell of a setting in place. Returns nil if the setting was removed.
    mutating func update<R>(_ setting: any CachedSetting, _ body: (inout SettingCell) -> R) -> R? {
        owns(setting) ? body(&cells[setting.slot]!) : nil
    }

    /// Removes the first change of a setting for delivery; see ``SettingCell/deliver(_:)``. Without a closure, which takes longer.
    mutating func deliver(_ commit: UInt64, of setting: any CachedSetting) -> SettingCell.Step? {
        owns(setting) ? cells[setting.slot]!.deliver(commit) : nil
    }

    /// Records the setting that is about to change. The store publishes the change under its name, which then need not be looked
    /// up.
    mutating func expectChange(of setting: any CachedSetting) { expectedSlot = setting.slot }

    /// Returns whether a setting is still in the table.
    private func owns(_ setting: any CachedSetting) -> Bool {
        owners[setting.slot]?.setting == ObjectIdentifier(setting)
    }

    /// Changes the cells of all settings with a name in place.
    mutating func update(named name: String, _ body: (inout SettingCell) -> Void) {
        if isExpected(name) { return body(&cells[expectedSlot]!) }
        guard let slots = slots[name] else { return }
        for slot in slots { body(&cells[slot]!) }
    }

    /// Invalidates the cached value of the expected setting, if the change is of that setting and has no other effect. This is the
    /// usual case.
    ///
    /// - Returns: Whether the change has no other effect.
    mutating func invalidateUnobserved(
        by change: borrowing SettingsStoreChange
    ) -> Bool {
        isExpected(change.name) && cells[expectedSlot]!.invalidateUnobserved(by: change)
    }

    /// Returns whether a name belongs to the expected setting, and to no other.
    private func isExpected(_ name: String) -> Bool {
        guard expectedSlot < owners.count, let owner = owners[expectedSlot] else { return false }
        return owner.name == name && !owner.sharesName
    }

    /// Changes all cells in place.
    mutating func updateAll(_ body: (inout SettingCell) -> Void) {
        for slot in cells.indices where cells[slot] != nil { body(&cells[slot]!) }
    }

    func hasCell(named name: String) -> Bool { slots[name] != nil }

    /// Returns the cells of all settings with a name.
    func all(named name: String) -> [SettingCell] { slots[name]?.compactMap { cells[$0] } ?? [] }

    /// The cells that have listeners.
    var listenedTo: [SettingCell] { cells.compactMap { $0?.listeners.isEmpty ?? true ? nil : $0 } }
}

import SettingsKitCore

/// What the engine may answer.
extension Model {
    /// Returns what may be in force for a reader that began at a moment.
    func steps(of service: Int, _ setting: ModelSetting, since moment: Int) -> ArraySlice<Step> {
        let cell = cells[service][setting.number]
        return cell.steps[(cell.steps.lastIndex { $0.moment <= moment } ?? 0)...]
    }

    /// Returns whether the default is in force although something is stored, so that nothing can be calculated.
    func isUnusable(_ service: Int, _ setting: ModelSetting) -> Bool {
        let cell = cells[service][setting.number]
        return inForce(cell).text == nil
            && cell.layers.contains { isWritable($0) && held[$0][setting.number].stored != nil }
    }

    /// Whether the store publishes its changes.
    func isFed(_ cell: Cell) -> Bool { kinds[cell.layers[0]] != .unfed }

    /// Whether listeners know the value in force.
    func isAgreed(_ cell: Cell) -> Bool {
        cell.setting.number(of: cell.known) == cell.setting.number(of: inForce(cell).text)
    }

    /// Returns whether a setting may be locked for a writer that began at a moment.
    func mayBeLocked(_ service: Int, _ setting: ModelSetting, since moment: Int) -> Bool {
        if steps(of: service, setting, since: moment).contains(where: \.isLocked) { return true }
        // D10
        return cells[service][setting.number].layers.contains { layer in
            kinds[layer] == .locking && held(setting.name, in: layer, since: moment).count > 1
        }
    }

    /// Returns the texts that stores have held under a name since a moment.
    func texts(of setting: ModelSetting, in stores: [Int], since moment: Int) -> [String] {
        stores.flatMap { held(setting.name, in: $0, since: moment).compactMap(\.text) }
    }

    /// Returns whether a store has held a text under a name at a moment since another one.
    func hasHeld(_ text: String?, _ name: String, in stores: [Int], since moment: Int) -> Bool {
        stores.contains { held(name, in: $0, since: moment).contains { $0.text == text } }
    }

    private func held(_ name: String, in store: Int, since moment: Int) -> ArraySlice<(moment: Int, text: String?)> {
        let texts = history[store]?[name] ?? [(0, nil)]
        return texts[(texts.lastIndex { $0.moment <= moment } ?? 0)...]
    }
}

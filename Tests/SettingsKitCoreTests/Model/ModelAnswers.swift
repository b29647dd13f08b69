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
        return cell.inForce.text == nil && cell.layers.contains { isWritable($0) && held[$0][setting.number] != nil }
    }

    /// Returns the numbers of events that a listener may have received with another one, given those of before.
    ///
    /// Changes that wait may be merged: into one step, or into none if it ends on what it begins with.
    func received(
        _ old: Marked, _ new: Marked, isSet: Bool, _ origin: SettingsService.Origin, of expected: ArraySlice<Event>,
        after received: Set<Int>, by cell: Cell
    ) -> Set<Int> {
        // What is merged is checked by the chain of values.
        if isMerging || cell.isVague { return received.isEmpty ? [0] : received }
        let events = Array(expected)
        let ends = received.filter { place in
            guard place < events.count else { return false }
            let event = events[place]
            return (event.old, event.new, event.isSet) == (old.number, new.number, isSet)
                && event.marks.contains(new.mark) && event.origin == origin
        }
        return Set(ends.map { $0 + 1 })
    }

    /// Returns whether a listener may have received all events.
    func hasAll(_ expected: ArraySlice<Event>, after received: Set<Int>, by cell: Cell) -> Bool {
        isMerging || cell.isVague || received.contains(expected.count)
    }

    // MARK: Groups

    func events(ofGroupsIn service: Int, since moment: Int) -> [GroupEvent] {
        groupEvents[service].filter { $0.moment > moment }
    }

    /// Returns the numbers of events that a listener to a group may have received with another one, given those of before.
    func received(
        _ names: Set<String>, _ origin: SettingsService.Origin, of events: [GroupEvent], after received: Set<Int>
    ) -> Set<Int> {
        // A merged change is notified with the first commit or the last.
        if isMerging || names.isEmpty { return names.isEmpty ? [] : received }
        let ends = received.flatMap { begin in
            events.indices.dropFirst(begin).filter { last in
                let event = events[last]
                return events[begin..<last].allSatisfy(isOptional) && event.origin == origin
                    && (event.isDoubtful ? names.isSubset(of: event.names) : names == event.names)
            }
        }
        return Set(ends.map { $0 + 1 })
    }

    func hasAll(_ events: [GroupEvent], after received: Set<Int>) -> Bool {
        isMerging || received.contains { events.dropFirst($0).allSatisfy(isOptional) }
    }

    private func isOptional(_ event: GroupEvent) -> Bool { event.isDoubtful || event.names.isEmpty }

    /// Returns the names of the settings that are not what they were.
    func changedNames(in service: Int, since moment: Int) -> Set<String> {
        Set(
            cells[service].filter { cell in
                let first = steps(of: service, cell.setting, since: moment).first?.numbers ?? []
                return first.isDisjoint(with: cell.steps.last?.numbers ?? [])
            }.map(\.setting.name))
    }

    /// Whether the store publishes its changes.
    func isFed(_ cell: Cell) -> Bool { kinds[cell.layers[0]] != .unfed }

    /// Whether listeners know the value in force.
    func isAgreed(_ cell: Cell) -> Bool {
        cell.setting.number(of: cell.known) == cell.setting.number(of: cell.inForce.text)
    }

    /// Returns whether a setting may be locked for a writer that began at a moment.
    func mayBeLocked(_ service: Int, _ setting: ModelSetting, since moment: Int) -> Bool {
        if steps(of: service, setting, since: moment).contains(where: \.mayBeLocked) { return true }
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

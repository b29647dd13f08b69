import SettingsKit

extension CatalogueSettings {
    package func explanation(of name: String) throws -> Explanation {
        let setting = try command.setting(named: name)
        let state = try state(of: setting, showsSecrets: false)
        var explanation = Explanation(
            name: catalogue.name(of: setting), text: state.valueText ?? SettingsService.SettingDefinition.withoutText)
        explanation.facts = [
            ("value", nil, "", SettingsCatalogue.json(of: state.valueText, setting)),
            ("source", nil, "\(state.source)", nil), ("isLocked", nil, "", .bool(state.isLocked)),
        ]
        if let lock = state.lock { explanation.facts.append(("lock", nil, "", lock.json)) }
        explanation.layers = layers(of: setting, state).map { ($0, json(of: $0)) }
        explanation.notes =
            (state.lock?.problem.map { ["\($0)"] } ?? []) + [SettingsCatalogue.description(of: setting)]
        return explanation
    }

    private func json(of layer: Explanation.Layer) -> JSONText {
        var members: [(name: String, value: JSONText)] = [
            ("layer", .string(layer.name)), ("holdsValue", .bool(layer.text != nil)),
            ("isInForce", .bool(layer.isInForce)),
        ]
        if let text = layer.text { members.append(("text", .string(text))) }
        if let location = layer.location { members.append(("location", .string(location))) }
        if !layer.remark.isEmpty { members.append(("remark", .string(layer.remark))) }
        return .object(members)
    }

    /// The explanation of each layer, and of the default.
    func layers(of setting: SettingsService.SettingDefinition, _ state: SettingsCatalogue.Row) -> [Explanation.Layer] {
        var lines: [Explanation.Layer] = []
        // The name of the layer in force, once found.
        var inForce: String?
        for name in state.layerNames {
            let isSource = state.source == (name.map { .layer($0) } ?? .store)
            var line = Explanation.Layer(name: name ?? "store", text: nil)
            if let layer = state.layers.first(where: { $0.name == name }) {
                line.text = layer.text ?? (layer.problem == nil ? "(no text)" : "(not text)")
                line.location = layer.location
                line.isInForce = isSource && !state.isLastGood
                if let problem = layer.problem {
                    line.remark = isSource && state.isLastGood ? "not used; the last good value stays" : "not used"
                    line.remark += problem.expected.map { ": expected \($0)" } ?? ""
                } else if isSource {
                    line.remark = layer.isLocking ? "in force, locked" : "in force"
                } else if let inForce {
                    line.remark = "hidden by \(inForce)"
                }
            }
            if let lock = state.lock, lock.layer == name, lock.problem != nil {
                line.remark += (line.remark.isEmpty ? "" : "; ") + "cannot be read, so the setting is locked"
            }
            if isSource { inForce = name ?? "store" }
            lines.append(line)
        }
        var line = Explanation.Layer(name: "default", text: setting.defaultText ?? "(computed)")
        line.isInForce = state.source == .default
        line.remark = line.isInForce ? "in force" : ""
        return lines + [line]
    }
}

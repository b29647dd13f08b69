import SettingsKit

extension CatalogueSettings {
    /// The member of an export that is not a setting.
    static let comment = "$comment"

    func export(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let isEffective = invocation.has(.effective)
        var members: [(name: String, value: JSONText)] = []
        if isEffective, catalogue.setting(named: Self.comment) == nil {
            members.append((Self.comment, .string("The values in force, from all layers and defaults.")))
        }
        var leftOut: [String] = []
        for setting in catalogue.settings {
            let name = catalogue.name(of: setting)
            let state = try state(of: setting, showsSecrets: true)
            if let problem = state.problem { streams.report(command.message(for: problem)) }
            let stored = state.stored
            if !isEffective && stored == nil { continue }
            if (isEffective ? state.isSecret : setting.isSecret) && !invocation.has(.secrets) {
                leftOut.append(name)
            } else if let text = isEffective ? state.text : stored?.text {
                members.append((name, .value(setting.catalogued.valueDescription.json(ofText: text))))
            } else {
                streams.report("\(name) has no text, left out.")
            }
        }
        if !leftOut.isEmpty {
            streams.report("Left out, because secret: \(leftOut.joined(separator: ", ")). --secrets includes them.")
        }
        try streams.print(JSONText.object(members).indented + "\n")
    }
}

extension SettingState {
    /// The store's own value, if the setting accepts it.
    var stored: Layer? { layers.first { $0.name == nil && $0.problem == nil } }
}

import SettingsKit

extension CatalogueSettings {
    func export(_ invocation: Invocation, _ streams: CommandStreams) throws {
        var members: [(name: String, value: JSONText)] = []
        var leftOut: [String] = []
        for setting in catalogue.settings {
            let name = catalogue.name(of: setting)
            let state = try state(of: setting, showsSecrets: true)
            if let problem = state.problem { streams.report(command.message(for: problem)) }
            guard let stored = state.stored else { continue }
            if setting.isSecret && !invocation.has(.secrets) {
                leftOut.append(name)
            } else if let text = stored.text {
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

extension SettingsCatalogue.Row {
    /// The store's own value, if the setting accepts it.
    var stored: Layer? { layers.first { $0.name == nil && $0.problem == nil } }
}

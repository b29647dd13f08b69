import Foundation
import SettingsKit

extension SettingsCommand {
    private static let comment = "$comment"

    // MARK: Exporting

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
            if let problem = state.problem { try streams.report(message(for: problem)) }
            let stored = state.layers.first { $0.name == nil && $0.problem == nil }
            guard let text = isEffective ? state.text : stored?.text else { continue }
            if setting.isSecret && !invocation.has(.secrets) {
                leftOut.append(name)
            } else {
                members.append((name, .value(setting.catalogued.valueDescription.json(ofText: text))))
            }
        }
        if !leftOut.isEmpty {
            try streams.report("Left out, because secret: \(leftOut.joined(separator: ", ")). --secrets includes them.")
        }
        try streams.print(JSONText.object(members).indented + "\n")
    }

    // MARK: Importing

    private struct Difference {
        let setting: SettingsService.SettingDefinition
        let old: SettingState
        let text: String
    }

    func `import`(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let path = invocation.operands[0]
        let differences = try differences(in: try members(ofFile: path, streams))
        for difference in differences {
            func shown(_ text: String?) -> String {
                difference.setting.isSecret ? SettingsService.SettingDefinition.hidden : text ?? "(no text)"
            }
            let line =
                "\(catalogue.name(of: difference.setting)): \(shown(difference.old.text)) → \(shown(difference.text))"
            try streams.print(TextLayout.escaped(line) + "\n")
        }
        if differences.isEmpty { try streams.print("Nothing changes.\n") }
        if invocation.has(.dryRun) || differences.isEmpty { return }
        try settings.save { transaction in
            for difference in differences { try difference.setting.catalogued.set(difference.text, in: &transaction) }
        }
        try settings.synchronize()
    }

    private func members(ofFile path: String, _ streams: CommandStreams) throws -> [String: JSONValue] {
        let data: Data
        do {
            data = try path == "-" ? streams.read() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure.failure("\(quoted(path)) cannot be read. Check the path and the permissions.")
        }
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: data)
        } catch {
            let file = path == "-" ? "The input" : quoted(path)
            throw CommandFailure.failure("\(file) is not an object in JSON, as export writes it. Nothing was imported.")
        }
    }

    /// The values of a file that differ from those in force.
    ///
    /// - Throws: a failure with a line for each member that cannot be imported; the error of a store that cannot be read.
    private func differences(in members: [String: JSONValue]) throws -> [Difference] {
        var problems: [String] = []
        var found: [ObjectIdentifier: String] = [:]
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            guard let setting = catalogue.setting(named: name) else {
                if name != Self.comment && name != "$schema" { problems.append(unknown(name)) }
                continue
            }
            do throws(SettingsError) {
                found[ObjectIdentifier(setting)] = try text(of: json, for: setting)
            } catch {
                problems.append(message(for: error))
            }
        }
        var differences: [Difference] = []
        for setting in catalogue.settings {
            guard let text = found[ObjectIdentifier(setting)] else { continue }
            let state = try state(of: setting, showsSecrets: true)
            if state.text == text && (state.source == .store || state.isLocked) { continue }
            if state.isLocked {
                let error = SettingsError(.locked, key: setting.key, layer: "\(state.source)")
                problems.append(message(for: error))
            }
            differences.append(Difference(setting: setting, old: state, text: text))
        }
        if problems.isEmpty { return differences }
        throw CommandFailure.failure((["Nothing was imported:"] + problems).joined(separator: "\n"))
    }

    private func text(
        of json: JSONValue, for setting: SettingsService.SettingDefinition
    ) throws(SettingsError) -> String {
        // The sign in the place of a secret is not the secret.
        let isHidden = setting.isSecret && json == .string(SettingsService.SettingDefinition.hidden)
        guard !isHidden, let text = setting.catalogued.valueDescription.text(of: json) else {
            throw SettingsError(.invalidValue, key: setting.key, expected: setting.expected)
        }
        try setting.catalogued.requireValue(fromText: text)
        return text
    }
}

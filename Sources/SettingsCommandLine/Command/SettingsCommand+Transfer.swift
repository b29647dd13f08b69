import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
            if let problem = state.problem { streams.report(message(for: problem)) }
            let stored = state.layers.first { $0.name == nil && $0.problem == nil }
            if !isEffective && stored == nil { continue }
            if setting.isSecret && !invocation.has(.secrets) {
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

    // MARK: Importing

    private struct Difference {
        let setting: SettingsService.SettingDefinition
        let old: SettingState
        let new: ImportedText
    }

    private struct ImportedText {
        /// The text in the file.
        let text: String
        /// The text of the value after the import; nil if the value has no text.
        let canonicalText: String?
    }

    func `import`(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let path = try invocation.text(0)
        let differences = try differences(in: try members(ofFile: path, streams))
        if !invocation.has(.dryRun) && !differences.isEmpty {
            try save(differences) { difference, transaction in
                try difference.setting.catalogued.set(difference.new.text, in: &transaction)
            }
        }
        // Changes are printed after they are stored: a change that failed must not appear.
        for difference in differences {
            func shown(_ text: String?) -> String {
                difference.setting.isSecret ? SettingsService.SettingDefinition.hidden : text ?? "(no text)"
            }
            let name = catalogue.name(of: difference.setting)
            let line = "\(name): \(shown(difference.old.text)) → \(shown(difference.new.canonicalText))"
            try streams.print(TextLayout.escaped(line) + "\n")
        }
        if differences.isEmpty { try streams.print("Nothing changes.\n") }
    }

    private func members(ofFile path: String, _ streams: CommandStreams) throws -> [String: JSONValue] {
        let file = try TransferFile.read(path, streams)
        var members: [String: Data] = [:]
        do throws(TransferProblem) {
            try JSONMembersFile.read(file) { name, json in members[name] = json }
        } catch {
            throw CommandFailure.failure(
                "\(TransferFile.shown(path)) is not a JSON object, as export writes it. \(error.description) Nothing was "
                    + "imported.")
        }
        var values: [String: JSONValue] = [:]
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            guard let value = JSONValue(json: json) else {
                throw CommandFailure.failure(
                    "\(name): The value has a number that cannot be represented. Nothing was imported.")
            }
            values[name] = value
        }
        return values
    }

    /// The values of a file that differ from those in force.
    ///
    /// - Throws: a failure with a line for each member that cannot be imported; the error of a store that cannot be read.
    private func differences(in members: [String: JSONValue]) throws -> [Difference] {
        var problems: [String] = []
        var found: [ObjectIdentifier: ImportedText] = [:]
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
            guard let new = found[ObjectIdentifier(setting)] else { continue }
            let state = try state(of: setting, showsSecrets: true)
            // The last good value is in force, but its layer holds another one.
            let isInForce = new.canonicalText != nil && new.canonicalText == state.text && !state.isLastGood
            if isInForce && (state.source == .store || state.isLocked) { continue }
            if let lock = state.lock { problems.append(message(for: lock.error(of: setting.key))) }
            differences.append(Difference(setting: setting, old: state, new: new))
        }
        if problems.isEmpty { return differences }
        throw CommandFailure.failure((["Nothing was imported:"] + problems).joined(separator: "\n"))
    }

    private func text(
        of json: JSONValue, for setting: SettingsService.SettingDefinition
    ) throws(SettingsError) -> ImportedText {
        // The placeholder of a secret is not the secret.
        let isHidden = setting.isSecret && json == .string(SettingsService.SettingDefinition.hidden)
        guard !isHidden, let text = setting.catalogued.valueDescription.text(of: json) else {
            throw SettingsError(.invalidValue, key: setting.key, expected: setting.expected)
        }
        return ImportedText(text: text, canonicalText: try setting.catalogued.canonicalText(ofText: text))
    }
}

import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CatalogueSettings {
    private struct ChangedMeanwhile: Error {}

    /// What stands for a secret in the edited text.
    private static var hidden: String { "<hidden>" }

    package func edited() throws -> EditedSettings {
        var edited = EditedSettings(shown: [], known: [:])
        for setting in catalogue.settings {
            let name = catalogue.name(of: setting)
            let state = try state(of: setting, showsSecrets: true)
            edited.known[name] = state.valueText.map { Data($0.utf8) }
            guard let text = state.stored?.text else { continue }
            let shown = setting.isSecret ? Self.hidden : text
            edited.shown.append((name, SettingsCatalogue.json(of: shown, setting)))
        }
        return edited
    }

    package func changes(_ values: [EditedValue]) throws -> [Change] {
        var (problems, changes): ([String], [Change]) = ([], [])
        for (name, json) in values {
            guard let setting = catalogue.setting(named: name) else {
                if !["$comment", "$schema"].contains(name) { problems.append(command.unknown(name)) }
                continue
            }
            do throws(SettingsError) {
                let state = try state(of: setting, showsSecrets: true)
                let new = try json.map { (json) throws(SettingsError) in try text(of: json, for: setting) }
                // The last good value is in force, but its layer holds another one.
                let isInForce = new?.canonicalText != nil && new?.canonicalText == state.valueText && !state.isLastGood
                if isInForce && (state.source == .store || state.isLocked) { continue }
                if let lock = state.lock { throw lock.error(of: setting.key) }
                changes.append(
                    Change(setting: setting, text: new?.text, line: line(setting, state, new?.canonicalText)))
            } catch {
                problems.append(command.message(for: error))
            }
        }
        if problems.isEmpty { return changes }
        throw CommandFailure.failure(problems.joined(separator: "\n"))
    }

    /// The text to store for a value in JSON, and its text once it is stored; nil if it has none.
    private func text(
        of json: Data, for setting: SettingsService.SettingDefinition
    ) throws(SettingsError) -> (text: String, canonicalText: String?) {
        let value = JSONValue(json: json)
        // What stands for a secret is not the secret.
        let placeholders = [Self.hidden, SettingsService.SettingDefinition.hidden].map(JSONValue.string)
        let isHidden = setting.isSecret && placeholders.contains { $0 == value }
        guard !isHidden, let value, let text = setting.catalogued.valueDescription.text(of: value) else {
            throw SettingsError(.invalidValue, key: setting.key, expected: setting.expected)
        }
        return (text, try setting.catalogued.canonicalText(ofText: text))
    }

    private func line(
        _ setting: SettingsService.SettingDefinition, _ state: SettingsCatalogue.Row, _ new: String?
    ) -> String {
        func shown(_ text: String?) -> String {
            state.isSecret
                ? SettingsService.SettingDefinition.hidden : text ?? SettingsService.SettingDefinition.withoutText
        }
        return TextLayout.escaped("\(catalogue.name(of: setting)): \(shown(state.valueText)) → \(shown(new))") + "\n"
    }

    package func store(_ changes: [Change], over known: [String: Data]) throws -> Bool {
        do {
            try settings.save { transaction in
                for change in changes {
                    let text = change.setting.catalogued.text(in: &transaction)
                    if text.map({ Data($0.utf8) }) != known[catalogue.name(of: change.setting)] {
                        throw ChangedMeanwhile()
                    }
                    try change.setting.catalogued.set(change.text, in: &transaction)
                }
            }
            return true
        } catch is ChangedMeanwhile {
            return false
        }
    }
}

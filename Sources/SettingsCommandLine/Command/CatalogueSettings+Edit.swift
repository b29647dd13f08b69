import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CatalogueSettings {
    private struct ChangedMeanwhile: Error {}

    package func edited() throws -> EditedSettings {
        var edited = EditedSettings(shown: [], known: [:])
        for setting in catalogue.settings {
            let name = catalogue.name(of: setting)
            let state = try state(of: setting, showsSecrets: true)
            edited.known[name] = state.text.map { Data($0.utf8) }
            guard let text = state.stored?.text else { continue }
            let shown = setting.isSecret ? SettingsService.SettingDefinition.hidden : text
            edited.shown.append((name, SettingsCatalogue.json(of: shown, setting)))
        }
        return edited
    }

    package func changes(_ values: [EditedValue]) throws -> [Change] {
        var problems: [String] = []
        var changes: [Change] = []
        for (name, json) in values {
            guard let setting = catalogue.setting(named: name) else {
                problems.append(command.unknown(name))
                continue
            }
            do throws(SettingsError) {
                let state = try state(of: setting, showsSecrets: true)
                if let lock = state.lock { throw lock.error(of: setting.key) }
                let new = try json.map { (json) throws(SettingsError) in
                    try text(of: JSONValue(json: json), for: setting)
                }
                changes.append(
                    Change(setting: setting, text: new?.text, line: line(setting, state, new?.canonicalText)))
            } catch {
                problems.append(command.message(for: error))
            }
        }
        if problems.isEmpty { return changes }
        throw CommandFailure.failure(problems.joined(separator: " "))
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

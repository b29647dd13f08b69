import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CatalogueSettings {
    struct ImportedText {
        /// The text in the file.
        let text: String
        /// The text of the value after the import; nil if the value has no text.
        let canonicalText: String?
    }

    static func members(ofFile path: String, _ streams: CommandStreams) throws -> [String: JSONValue] {
        let file = try TransferFile.read(path, streams)
        let members: [String: Data]
        do throws(TransferProblem) {
            members = try JSONMembersFile.members(of: file)
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
    func differences(in members: [String: JSONValue]) throws -> [Change] {
        var problems: [String] = []
        var found: [ObjectIdentifier: ImportedText] = [:]
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            guard let setting = catalogue.setting(named: name) else {
                if name != Self.comment && name != "$schema" { problems.append(command.unknown(name)) }
                continue
            }
            do throws(SettingsError) {
                found[ObjectIdentifier(setting)] = try text(of: json, for: setting)
            } catch {
                problems.append(command.message(for: error))
            }
        }
        var differences: [Change] = []
        for setting in catalogue.settings {
            guard let new = found[ObjectIdentifier(setting)] else { continue }
            let state = try state(of: setting, showsSecrets: true)
            // The last good value is in force, but its layer holds another one.
            let isInForce = new.canonicalText != nil && new.canonicalText == state.text && !state.isLastGood
            if isInForce && (state.source == .store || state.isLocked) { continue }
            if let lock = state.lock { problems.append(command.message(for: lock.error(of: setting.key))) }
            differences.append(
                Change(setting: setting, text: new.text, line: line(setting, state, new.canonicalText)))
        }
        if problems.isEmpty { return differences }
        throw CommandFailure.failure((["Nothing was imported:"] + problems).joined(separator: "\n"))
    }

    func text(
        of json: JSONValue?, for setting: SettingsService.SettingDefinition
    ) throws(SettingsError) -> ImportedText {
        // The placeholder of a secret is not the secret.
        let isHidden = setting.isSecret && json == .string(SettingsService.SettingDefinition.hidden)
        guard !isHidden, let json, let text = setting.catalogued.valueDescription.text(of: json) else {
            throw SettingsError(.invalidValue, key: setting.key, expected: setting.expected)
        }
        return ImportedText(text: text, canonicalText: try setting.catalogued.canonicalText(ofText: text))
    }

    func line(
        _ setting: SettingsService.SettingDefinition, _ state: SettingState, _ new: String?
    ) -> String {
        func shown(_ text: String?) -> String {
            state.isSecret
                ? SettingsService.SettingDefinition.hidden : text ?? SettingsService.SettingDefinition.withoutText
        }
        return TextLayout.escaped("\(catalogue.name(of: setting)): \(shown(state.text)) → \(shown(new))") + "\n"
    }
}

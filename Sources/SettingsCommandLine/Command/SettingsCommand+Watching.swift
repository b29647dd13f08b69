import SettingsKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsCommand {
    func watch(_ invocation: Invocation, _ streams: CommandStreams) throws {
        let names = try invocation.texts()
        let chosen = try names.isEmpty ? catalogue.settings : names.map(setting)
        let limit = try invocation.number(.count)
        let changes = ChangeQueue<ObservedChange>()
        let subscriptions = chosen.map { setting in
            let name = catalogue.name(of: setting)
            return setting.catalogued.observeText(in: settings) { text, isSet, origin in
                changes.append(ObservedChange(setting: setting, name: name, text: text, isSet: isSet, origin: origin))
            }
        }
        defer { for subscription in subscriptions { subscription.cancel() } }
        let isJSON = invocation.has(.json)
        try changes.print(limit ?? .max, to: streams) { Self.line(for: $0, isJSON: isJSON) }
    }

    private static func line(for change: ObservedChange, isJSON: Bool) -> String {
        let time = change.time.formatted(.iso8601)
        if isJSON {
            let json = JSONText.object([
                ("time", .string(time)), ("name", .string(change.name)),
                ("value", SettingsCatalogue.json(of: change.text, change.setting)), ("isSet", .bool(change.isSet)),
                ("origin", .string("\(change.origin)")),
            ])
            return json.compact + "\n"
        }
        let remark = change.isSet ? "\(change.origin)" : "\(change.origin), removed"
        return TextLayout.escaped("\(time)  \(change.name): \(change.text ?? "(no text)")  (\(remark))") + "\n"
    }
}

/// A change to be printed.
private struct ObservedChange: Sendable {
    let setting: SettingsService.SettingDefinition
    let name: String
    /// The text of the new value; nil if it has none.
    let text: String?
    let isSet: Bool
    let origin: SettingsService.Origin
    let time = Date()
}

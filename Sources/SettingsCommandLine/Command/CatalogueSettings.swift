import SettingsKit

/// The settings of a catalogue in a service.
package struct CatalogueSettings: CommandSettings {
    /// A text to store, or a removal.
    package struct Change: SettingChange {
        let setting: SettingsService.SettingDefinition
        /// The text of the new value; nil to remove the stored one.
        let text: String?
        /// The old value and the new one, in a line.
        var line = ""

        package var isRemoval: Bool { text == nil }
    }

    let command: SettingsCommand

    var catalogue: SettingsCatalogue { command.catalogue }
    var settings: SettingsService { command.settings }

    /// Unreadable values are reported one by one.
    package var isDamaged: Bool { false }

    /// Returns what the store holds for a setting.
    ///
    /// - Throws: The error of a store that cannot be read.
    func state(
        of setting: SettingsService.SettingDefinition, showsSecrets: Bool
    ) throws(SettingsError) -> SettingsCatalogue.Row {
        let state = setting.catalogued.state(in: settings, showsSecrets: showsSecrets)
        if let problem = state.storeProblem { throw problem }
        return state
    }

    // MARK: Reading

    package func list(asJSON isJSON: Bool, _ streams: CommandStreams) throws {
        try streams.print(isJSON ? catalogue.json(in: settings) : catalogue.table(in: settings, width: streams.width))
    }

    package func value(
        named name: String, showsSecrets: Bool
    ) throws -> (text: String?, json: JSONText, problem: String?) {
        let setting = try command.setting(named: name)
        let state = try state(of: setting, showsSecrets: showsSecrets)
        return (
            state.valueText, SettingsCatalogue.json(of: state.valueText, setting), state.problem.map(command.message)
        )
    }

    package func observe(
        _ names: [String], _ streams: CommandStreams,
        _ body: @escaping @Sendable (String, Bool, SettingsService.Origin, @escaping ObservedContent) -> Void
    ) throws -> [SettingsService.Subscription] {
        let chosen = try names.isEmpty ? catalogue.settings : names.map(command.setting)
        return chosen.map { setting in
            let name = catalogue.name(of: setting)
            return setting.catalogued.observeText(in: settings) { text, isSet, origin in
                let shown = TextLayout.escaped(text ?? SettingsService.SettingDefinition.withoutText)
                body(name, isSet, origin) { _ in (shown, SettingsCatalogue.json(of: text, setting), nil) }
            }
        }
    }

    // MARK: Writing

    /// A file is imported as a whole.
    package var batchSize: Int? { nil }

    package func store(_ batch: ArraySlice<Change>) throws {
        try settings.save { transaction in
            for change in batch { try change.setting.catalogued.set(change.text, in: &transaction) }
        }
    }

    package func show(_ changes: [Change], asJSON isJSON: Bool, _ streams: CommandStreams) throws {
        try streams.print(lines: changes, \.line)
    }

    package func removals(of names: [String]?) throws -> [Change] {
        // Only stored values are removed: other settings may be locked.
        let chosen =
            try names?.flatMap(removable)
            ?? catalogue.settings.filter { try state(of: $0, showsSecrets: false).isSet }
        return chosen.map { Change(setting: $0, text: nil) }
    }

    /// The setting with a name. For a stored name without a setting, as `check` reports it, a definition in each scope that can
    /// remove it.
    private func removable(named name: String) throws -> [SettingsService.SettingDefinition] {
        if let setting = catalogue.setting(named: name) { return [setting] }
        let stored = catalogue.check(in: settings).filter { $0.kind == .unknownName && $0.name == name }
        if stored.isEmpty { throw CommandFailure.usage(command.unknown(name)) }
        return stored.map { SettingsService.Setting<String?>(name, in: $0.scope) }
    }

    package func bringUpToDate() throws { try settings.bringUpToDate() }
}

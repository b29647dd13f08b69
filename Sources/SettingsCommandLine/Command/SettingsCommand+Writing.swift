import SettingsKit

extension SettingsCommand {
    func set(_ invocation: Invocation) throws {
        try settings.set(setting(named: invocation.text(0)), fromText: invocation.text(1))
        try settings.synchronize()
    }

    func delete(_ invocation: Invocation) throws {
        if invocation.has(.all) != invocation.operands.isEmpty {
            throw CommandFailure.usage("delete needs the names of settings, or --all for all of them.")
        }
        // Of all settings, those that are stored: the others may be locked.
        let chosen =
            try invocation.has(.all)
            ? catalogue.settings.filter { try state(of: $0, showsSecrets: false).isSet }
            : invocation.texts().flatMap(removable)
        try settings.save { transaction in
            for setting in chosen { try setting.catalogued.set(nil, in: &transaction) }
        }
        try settings.synchronize()
    }

    /// The setting with a name. For a name that no setting has and that is stored, as `check` reports it, a definition in each
    /// scope that can remove it.
    private func removable(named name: String) throws -> [SettingsService.SettingDefinition] {
        if let setting = catalogue.setting(named: name) { return [setting] }
        let stored = catalogue.check(in: settings).filter { $0.kind == .unknownName && $0.name == name }
        if stored.isEmpty { throw CommandFailure.usage(unknown(name)) }
        return stored.map { SettingsService.Setting<String?>(name, in: $0.scope) }
    }
}

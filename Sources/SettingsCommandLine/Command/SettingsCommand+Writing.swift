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
            : invocation.texts().map(setting)
        try settings.save { transaction in
            for setting in chosen { try setting.catalogued.set(nil, in: &transaction) }
        }
        try settings.synchronize()
    }
}

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
        // Only stored values are removed: other settings may be locked.
        let chosen =
            try invocation.has(.all)
            ? catalogue.settings.filter { try state(of: $0, showsSecrets: false).isSet }
            : invocation.texts().flatMap(removable)
        try save(chosen) { setting, transaction in try setting.catalogued.set(nil, in: &transaction) }
    }

    /// Makes changes in one transaction, or in several if a store takes fewer at a time. Returns when they survive a power
    /// failure.
    ///
    /// - Throws: The service's error, if nothing was changed. Otherwise, a failure with the number of stored changes.
    func save<Change>(
        _ changes: [Change], _ make: (Change, inout SettingsService.Transaction) throws -> Void
    ) throws {
        var (done, size) = (0, changes.count)
        do {
            while done < changes.count {
                let batch = changes[done...].prefix(size)
                do {
                    try settings.save { transaction in
                        for change in batch { try make(change, &transaction) }
                    }
                } catch let error as SettingsError where error.isAboutSize && batch.count > 1 {
                    size = batch.count / 2
                    continue
                }
                done += batch.count
            }
            try settings.synchronize()
        } catch {
            if done == 0 { throw error }
            throw CommandFailure.failure(
                "\(message(for: error))\n\(done) of \(changes.count) changes are stored. Run the same command again to store "
                    + "the rest.")
        }
    }

    /// The setting with a name. For a stored name without a setting, as `check` reports it, a definition in each scope that can
    /// remove it.
    private func removable(named name: String) throws -> [SettingsService.SettingDefinition] {
        if let setting = catalogue.setting(named: name) { return [setting] }
        let stored = catalogue.check(in: settings).filter { $0.kind == .unknownName && $0.name == name }
        if stored.isEmpty { throw CommandFailure.usage(unknown(name)) }
        return stored.map { SettingsService.Setting<String?>(name, in: $0.scope) }
    }
}

extension SettingsError {
    /// Whether a store has refused a batch because it has too many bytes or too many settings, as a cluster does.
    package var isAboutSize: Bool { code == .tooLarge }
}

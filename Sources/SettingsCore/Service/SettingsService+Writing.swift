extension SettingsService {
    /// Stores a value.
    ///
    /// When it returns, every `get` of the setting in this process sees this value or a newer one, and listeners have
    /// been told, unless another thread is telling them. Setting what is already stored writes nothing and tells nobody.
    /// A problem (no store, a value that cannot be encoded, a failed write) is told to ``diagnostics``, and the old value
    /// stays; use ``save(_:to:)`` to have it thrown.
    ///
    /// Setting an optional to nil removes it where its default is nil, and stores nil where its default is something
    /// else.
    public func set<T>(_ setting: Setting<T>, to value: T) {
        do throws(SettingsError) {
            try write(value, to: setting)
        } catch {
            registry.diagnostics.report(error)
        }
    }

    /// Stores a value, as ``set(_:to:)`` does, and says what went wrong.
    ///
    /// - Throws: ``SettingsError``; the old value then is still there.
    public func save<T>(_ setting: Setting<T>, to value: T) throws {
        try write(value, to: setting)
    }

    private func write<T>(_ value: T, to setting: Setting<T>) throws(SettingsError) {
        let value = setting.coding.process(value)
        let data = try setting.coding.bytes(for: value)
        let cell = cell(of: setting)
        cell.offer(value, as: data)
        defer { cell.settleOffer(value, as: data) }
        try cell.channel.write(data, for: setting.key)
    }

    /// Removes what is stored for the setting, so that it reads as its default again. Problems are diagnosed.
    public func reset(_ setting: SettingDefinition) {
        do throws(SettingsError) {
            try channel(for: setting.key).write(nil, for: setting.key)
        } catch {
            registry.diagnostics.report(error)
        }
    }

    /// Removes everything that the scope's store holds, also what this program has no setting for. Problems are
    /// diagnosed; a store that cannot list its keys is left as it is.
    public func reset(scope: Scope) {
        let channel = registry.channel(for: scope)
        do throws(SettingsError) {
            let hub = try channel.requireHub(for: nil)
            do {
                try hub.removeAll(scope: scope)
            } catch {
                throw .wrap(error, as: .writeFailed, store: hub.store.storeDescription)
            }
        } catch {
            registry.diagnostics.report(error)
        }
    }

    /// Returns when everything that was set before the call survives a power failure, in every scope.
    ///
    /// - Throws: the first error of a store; the other stores are synchronised all the same, and their errors diagnosed.
    public func synchronize() throws {
        var errors: [SettingsError] = []
        for channel in registry.all {
            guard let hub = channel.hub else { continue }
            do {
                try hub.store.synchronize()
            } catch {
                errors.append(.wrap(error, as: .writeFailed, store: hub.store.storeDescription))
            }
        }
        guard let first = errors.first else { return }
        for error in errors.dropFirst() { registry.diagnostics.report(error) }
        throw first
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
            try write(value, to: setting, isKept: true)
        } catch {
            registry.diagnostics.report(error)
        }
    }

    /// Stores a value, as ``set(_:to:)`` does, and says what went wrong.
    ///
    /// - Throws: ``SettingsError``; the old value then is still there.
    public func save<T>(_ setting: Setting<T>, to value: T) throws {
        try write(value, to: setting, isKept: false)
    }

    /// - Parameter isKept: Whether a store that is not open yet keeps the change; if not, it throws.
    private func write<T>(_ value: T, to setting: Setting<T>, isKept: Bool) throws(SettingsError) {
        if setting.hooks?.needsValues ?? false {
            return try commit(isKept: isKept) { $0.set(setting, to: value) }
        }
        let cell = cell(of: setting)
        do throws(SettingsError) {
            if !isKept { try cell.channel.requireHub(for: setting.key).requireOpen() }
            let value = setting.coding.process(value)
            let data = try setting.coding.bytes(for: value)
            cell.offer(value, as: data)
            defer { cell.settleOffer(value, as: data) }
            try write(data, to: setting, through: cell.channel)
        } catch {
            cell.channel.tell(cell.name, of: error)
            throw error
        }
    }

    /// Stores a value in the place of `data`, if that is what is stored; does nothing if it is not.
    ///
    /// Listeners are not told of a failure: nobody has set anything, and one that reads then would fail again.
    func replace<T>(_ data: Data?, of setting: Setting<T>, by value: T) throws(SettingsError) {
        try commit(isKept: true) { transaction in
            transaction.tellsOfFailures = false
            if transaction.data(for: setting.key) == data { transaction.set(setting, to: value) }
        }
    }

    /// Writes bytes, and calls the hooks of the setting's namespaces around that if it changes anything.
    private func write(
        _ data: Data?, to setting: SettingDefinition, through channel: Channel
    ) throws(SettingsError) {
        guard setting.hasHooks else { return try channel.write(data, for: setting.key) }
        let hub = try channel.requireHub(for: setting.key)
        // What a store that is not open yet has, is not what is stored.
        if hub.recovering?.unavailability == nil, try channel.read(setting.key, from: hub) == data { return }
        var hooks = CommitHooks()
        setting.addHooks(of: HookedChange(oldData: nil, newData: data, newValue: nil), to: &hooks)
        hooks.callBefore()
        try channel.write(data, for: setting.key)
        hooks.callAfter()
    }

    /// Removes what is stored for the setting, so that it reads as its default again. Problems are diagnosed.
    public func reset(_ setting: SettingDefinition) {
        do throws(SettingsError) {
            try remove(setting, isKept: true)
        } catch {
            registry.diagnostics.report(error)
        }
    }

    /// Removes what is stored for the setting, and says what went wrong.
    ///
    /// - Parameter isKept: Whether a store that is not open yet keeps the change; if not, it throws.
    func remove(_ setting: SettingDefinition, isKept: Bool) throws(SettingsError) {
        if setting.hasHooks { return try commit(isKept: isKept) { $0.reset(setting) } }
        let channel = channel(for: setting.key)
        if !isKept { try channel.requireHub(for: setting.key).requireOpen() }
        try channel.write(nil, for: setting.key)
    }

    /// Removes what is stored for all settings of a namespace, and of those inside it, in one batch; also what this
    /// program has no setting for. Problems are diagnosed; a store that cannot list its keys is left as it is.
    ///
    /// The namespace's hooks are called if there is anything to remove. Complexity: the store lists all of its keys.
    public func reset(_ namespace: any SettingsNamespace.Type, in scope: Scope) {
        do throws(SettingsError) {
            try remove(namespace, in: scope)
        } catch {
            registry.diagnostics.report(error)
        }
    }

    func remove(_ namespace: any SettingsNamespace.Type, in scope: Scope) throws(SettingsError) {
        let hub = try registry.channel(for: scope).requireHub(for: nil)
        do {
            let names = try hub.store.keys().filter { StorageKey.isValid($0) && namespace.contains($0) }
            if names.isEmpty { return }
            var hooks = CommitHooks()
            hooks.add(namespace.path)
            hooks.callBefore()
            _ = try hub.apply(SettingsStoreBatch(writes: names.map { .init(key: .init($0, scope: scope), data: nil) }))
            hooks.callAfter()
        } catch {
            throw .wrap(error, as: .writeFailed, store: hub.store.storeDescription)
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

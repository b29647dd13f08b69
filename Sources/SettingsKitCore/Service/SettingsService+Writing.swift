#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    /// Stores a value.
    ///
    /// When it returns, every `get` of the setting in this process returns this value or a newer one, and listeners have been
    /// notified, unless another thread is notifying them. Setting an equal value writes nothing and notifies no listener. A problem
    /// (no store, a value that cannot be encoded, a failed write) is reported to ``diagnostics``, and the old value stays;
    /// ``save(_:to:)`` throws it.
    ///
    /// Setting an optional to nil removes it if its default is nil, and stores nil if its default is another value.
    public func set<T>(_ setting: Setting<T>, to value: T) {
        do throws(SettingsError) {
            try write(value, to: setting, .ofSet)
        } catch {
            reportFailure(error)
        }
    }

    /// Reports that a change was not made. For a locked setting, it reports each cause once.
    func reportFailure(_ error: SettingsError) {
        if error.code == .locked {
            connections.diagnostics.reportOnce(error)
        } else {
            connections.diagnostics.report(error)
        }
    }

    /// Stores a value, as ``set(_:to:)`` does, and throws errors.
    ///
    /// - Throws: ``SettingsError``; the old value stays.
    public func save<T>(_ setting: Setting<T>, to value: T) throws {
        try write(value, to: setting, .ofSave)
    }

    /// Stores a value. A store that is not open yet keeps the change if the options allow it, and throws otherwise.
    func write<T>(_ value: T, to setting: Setting<T>, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        if setting.hooks?.needsValues ?? false {
            return try commit(options) { $0.set(setting, to: value) }
        }
        let slot = slot(for: setting)
        let connection = slot.connection
        if !options.isKept { try connection.requireSources(for: setting.key).requireOpen() }
        let value = setting.coding.process(value)
        let data = try setting.coding.bytes(for: value)
        let sets = slot.keepsSetValues ? data.map { [SetValue(value, as: $0, in: slot)] } ?? [] : []
        let sources = try connection.beginWriting(sets, setting.key)
        defer { connection.endWriting(sets) }
        try write(data, to: setting, slot, in: sources, options)
    }

    /// Writes bytes, and calls the hooks of the setting's namespaces around the write if it changes anything.
    private func write(
        _ data: Data?, to setting: SettingDefinition, _ slot: AnySlot, in sources: Sources,
        _ options: SettingsStoreBatch.Options
    ) throws(SettingsError) {
        if sources.isLayered, let lock = slot.read()?.lock {
            throw lock.error(of: setting.key)
        }
        guard setting.hasHooks else {
            return try sources.set(setting.key, to: data, waitsForAgreement: options.waitsForAgreement)
        }
        if sources.isOpen {
            let stored = try sources.read(setting.key)[sources.writable]?.content.data
            if stored == data, try options.waitsForAgreement ? sources.confirms(setting.key, stored) : true { return }
        }
        var hooks = CommitHooks()
        setting.addHooks(of: HookedChange(old: [], new: [], newValue: nil, sources: sources), in: self, to: &hooks)
        hooks.callBefore()
        try sources.set(setting.key, to: data, waitsForAgreement: options.waitsForAgreement)
        hooks.callAfter()
    }

    /// Removes the setting's stored value, so that it reads as its default again. Problems are diagnosed; ``remove(_:)`` throws
    /// them.
    public func reset(_ setting: SettingDefinition) {
        do throws(SettingsError) {
            try remove(setting, .ofSet)
        } catch {
            reportFailure(error)
        }
    }

    /// Removes the stored values of several settings, in one transaction. If there is a problem, it is diagnosed, and all values
    /// stay.
    public func reset(_ first: SettingDefinition, _ second: SettingDefinition, _ others: SettingDefinition...) {
        transaction { t in for setting in [first, second] + others { t.reset(setting) } }
    }

    /// Removes the setting's stored value, as ``reset(_:)`` does, and throws errors.
    ///
    /// - Throws: ``SettingsError``; the stored value stays.
    public func remove(_ setting: SettingDefinition) throws { try remove(setting, .ofSave) }

    /// Removes a value. A store that is not open yet keeps the change if the options allow it, and throws otherwise.
    func remove(_ setting: SettingDefinition, _ options: SettingsStoreBatch.Options) throws(SettingsError) {
        if setting.hasHooks { return try commit(options) { $0.reset(setting) } }
        let sources = try connection(for: setting.key).requireSources(for: setting.key)
        if !options.isKept { try sources.requireOpen() }
        try write(nil, to: setting, setting.slot(in: self), in: sources, options)
    }

    /// Removes the stored values of all settings of a namespace and of the namespaces inside it, in one batch, including those that
    /// this program does not define. Problems are diagnosed; a store that cannot list its keys is unchanged.
    ///
    /// The namespace's hooks are called if there is anything to remove. Complexity: the store lists all of its keys.
    public func reset(_ namespace: any SettingsNamespace.Type, in scope: Scope) {
        do throws(SettingsError) {
            try remove(namespace, in: scope)
        } catch {
            reportFailure(error)
        }
    }

    func remove(_ namespace: any SettingsNamespace.Type, in scope: Scope) throws(SettingsError) {
        let sources = try connections[scope].requireSources()
        let names = try sources.removable(try sources.keys().filter(namespace.contains), in: scope)
        if names.isEmpty { return }
        var hooks = CommitHooks()
        hooks.add(namespace.path)
        hooks.callBefore()
        let writes = names.map { SettingsStoreBatch.Entry(key: .init($0, scope: scope), data: nil) }
        _ = try sources.apply(SettingsStoreBatch(writes: writes, options: .ofSet))
        hooks.callAfter()
    }

    /// Removes everything that the scope's store holds, including settings that this program does not define. Problems are
    /// diagnosed; a store that cannot list its keys is unchanged.
    public func reset(scope: Scope) {
        do throws(SettingsError) {
            try connections[scope].requireSources().removeAll(in: scope)
        } catch {
            connections.diagnostics.report(error)
        }
    }

    /// Waits until every change made before the call survives a power failure, in every scope.
    ///
    /// - Throws: The first error of a store. The other stores are still synchronized, and their errors diagnosed.
    public func synchronize() throws { try synchronize(forOthers: false) }

    /// Waits until every change made before the call survives a power failure and other programs can read it in the stores' files,
    /// in every scope.
    ///
    /// Programs that use this library see a change without it, within milliseconds. Call it before another program reads the
    /// property list, or before a syncer copies the shared directory.
    ///
    /// - Throws: The first error of a store. The other stores are still brought up to date, and their errors diagnosed.
    public func bringUpToDate() throws { try synchronize(forOthers: true) }

    private func synchronize(forOthers: Bool) throws {
        var errors: [SettingsError] = []
        for connection in connections.all {
            do throws(SettingsError) {
                try connection.sources?.synchronize(forOthers: forOthers)
            } catch {
                errors.append(error)
            }
        }
        guard let first = errors.first else { return }
        for error in errors.dropFirst() { connections.diagnostics.report(error) }
        throw first
    }
}

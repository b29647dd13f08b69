extension SettingsService {
    /// The setting's value, or its default when none is stored.
    ///
    /// It never throws and never waits for a file. When the store is missing or cannot be read, or what is stored is no
    /// value of the setting's type, it returns the default and tells ``diagnostics``, once for each cause; what is stored
    /// stays. A value that becomes undecodable from outside while the program uses the setting (an edit of the file, another
    /// device) leaves the last good value in force, and listeners are not notified. From a store that announces its changes, a value is decoded once and then read from memory, without a lock
    /// where it is a number or a Boolean.
    @inlinable public func get<T>(_ setting: Setting<T>) -> T {
        if let cell = table.cell(at: setting.index) {
            // The table holds the cell for as long as the setting and the service live, and the caller holds both.
            return cell._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Cell<T>.self).value() }
        }
        return getFirst(setting)
    }

    @usableFromInline @inline(never) func getFirst<T>(_ setting: Setting<T>) -> T {
        cell(of: setting).value()
    }

    /// The setting's value; setting it is ``set(_:to:)``.
    @inlinable public subscript<T>(setting: Setting<T>) -> T {
        get { get(setting) }
        set { set(setting, to: newValue) }
    }

    /// The setting's value as the store has it now, or its default when none is stored; says what went wrong.
    ///
    /// It asks the store, whatever is in memory.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore`, `readFailed` or `decodingFailed`; `storeUnavailable` or
    ///   `memoryOnly` if the store behind ``SettingsService/init(shared:storesForCustomScopes:diagnosticSink:)`` is not open.
    public func load<T>(_ setting: Setting<T>) throws -> T {
        let channel = channel(for: setting.key)
        let hub = try channel.requireHub(for: setting.key)
        try hub.requireOpen()
        return try channel.value(of: setting.coding, for: channel.read(setting.key, from: hub))
    }

    /// Whether something is stored for the setting, so that it does not read as its default only.
    ///
    /// What is stored may be undecodable, or equal to the default. A store that is missing or cannot be read is
    /// diagnosed, and the answer is false.
    public func isSet(_ setting: SettingDefinition) -> Bool {
        let channel = channel(for: setting.key)
        do throws(SettingsError) {
            return try channel.read(setting.key, from: channel.hub) != nil
        } catch {
            registry.diagnostics.reportOnce(error)
            return false
        }
    }

    /// The names of all settings stored in a scope, sorted.
    ///
    /// A store that is missing, cannot be read or cannot list its keys is diagnosed, and the answer is empty.
    public func keys(in scope: Scope) -> [String] {
        let channel = registry.channel(for: scope)
        do throws(SettingsError) {
            let hub = try channel.requireHub(for: nil)
            do {
                return try hub.store.keys().filter(StorageKey.isValid).sorted()
            } catch {
                throw .wrap(error, as: .readFailed, store: hub.store.storeDescription)
            }
        } catch {
            registry.diagnostics.reportOnce(error)
            return []
        }
    }
}

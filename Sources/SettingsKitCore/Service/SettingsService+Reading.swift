extension SettingsService {
    /// The setting's value, or its default when none is stored.
    ///
    /// It never throws and never waits for a file. When the store is missing or cannot be read, or the stored bytes are not a
    /// value of the setting's type, it returns the default and reports the error to ``diagnostics``, once for each cause; the
    /// stored bytes stay. A value that becomes undecodable from outside while the program uses the setting (an edit of the file, another
    /// device) leaves the last good value in force, and listeners are not notified. (A store that does not publish such changes is
    /// read as it is: there, the default counts.) From a store that publishes all of its
    /// changes, a value is decoded once and then read from memory: a number or a Boolean without a lock.
    @inlinable public func get<T>(_ setting: Setting<T>) -> T {
        if let cached = table.setting(at: setting.index) {
            // The table holds the object for as long as the setting and the service live, and the caller holds both.
            return cached._withUnsafeGuaranteedRef { unsafeDowncast($0, to: CachedSettingValue<T>.self).value() }
        }
        return getFirst(setting)
    }

    @usableFromInline @inline(never) func getFirst<T>(_ setting: Setting<T>) -> T {
        cachedSetting(for: setting).value()
    }

    /// The setting's value; setting it is ``set(_:to:)``.
    @inlinable public subscript<T>(setting: Setting<T>) -> T {
        get { get(setting) }
        set { set(setting, to: newValue) }
    }

    /// The setting's value as the store has it now, or its default when none is stored.
    ///
    /// It reads from the store, whatever is in memory.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore`, `readFailed`, `decodingFailed` or `invalidValue`;
    ///   `storeUnavailable` or `memoryOnly` if the store behind
    ///   ``SettingsService/init(shared:storesForCustomScopes:diagnosticSink:)`` is not open.
    public func load<T>(_ setting: Setting<T>) throws -> T {
        let connection = connection(for: setting.key)
        let store = try connection.requireStore(for: setting.key)
        try store.requireOpen()
        do throws(SettingsError) {
            return try setting.coding.value(for: store.read(setting.key))
        } catch {
            throw store.store.locating(error)
        }
    }

    /// Whether a value is stored for the setting.
    ///
    /// The stored value may be undecodable, or equal to the default. A store that is missing or cannot be read is
    /// diagnosed, and the answer is false.
    public func isSet(_ setting: SettingDefinition) -> Bool {
        do throws(SettingsError) {
            return try !connection(for: setting.key).requireStore(for: setting.key).read(setting.key).isEmpty
        } catch {
            connections.diagnostics.reportOnce(error)
            return false
        }
    }

    /// The names of all settings stored in a scope, sorted.
    ///
    /// A store that is missing, cannot be read or cannot list its keys is diagnosed, and the answer is empty.
    public func keys(in scope: Scope) -> [String] {
        do throws(SettingsError) {
            return try connections[scope].requireStore().keys().sorted()
        } catch {
            connections.diagnostics.reportOnce(error)
            return []
        }
    }
}

extension SettingsService {
    /// Returns the setting's value, or its default if none is stored.
    ///
    /// It never throws and never waits for a file. If the store is missing or cannot be read, or if the stored bytes are not a
    /// value of the setting's type, it returns the default and reports the error to ``diagnostics``, once for each cause. The
    /// stored bytes stay.
    ///
    /// If an external change (an edit of the file, another device) makes the value undecodable while the program uses the setting,
    /// the last good value stays in force, and listeners are not notified. From a store that does not publish such changes, it
    /// returns the default.
    ///
    /// From a store that publishes all of its changes, a value is decoded once and then read from memory: a number or a Boolean
    /// without a lock.
    @inlinable public func get<T>(_ setting: Setting<T>) -> T {
        if let slot = table.slot(at: setting.index) {
            // The table holds the object for as long as the setting and the service live, and the caller holds both.
            return slot._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Slot<T>.self).value() }
        }
        return getFirst(setting)
    }

    @usableFromInline @inline(never) func getFirst<T>(_ setting: Setting<T>) -> T {
        slot(for: setting).value()
    }

    /// The setting's value. Assigning to it calls ``set(_:to:)``.
    @inlinable public subscript<T>(setting: Setting<T>) -> T {
        get { get(setting) }
        set { set(setting, to: newValue) }
    }

    /// Returns the setting's value from the store, or its default if none is stored.
    ///
    /// It reads the store even if the value is in memory.
    ///
    /// - Throws: ``SettingsError`` with the code `noStore`, `readFailed`, `decodingFailed` or `invalidValue`; `storeUnavailable` or
    ///   `memoryOnly` if the store behind ``SettingsService/init(shared:storesForCustomScopes:diagnosticSink:)`` is not open.
    public func load<T>(_ setting: Setting<T>) throws -> T {
        let sources = try connection(for: setting.key).requireSources(for: setting.key)
        let slot = slot(for: setting)
        try sources.requireOpen()
        do throws(SettingsError) {
            return try slot.firstValue(in: sources.read(setting.key), sources)
        } catch {
            throw sources.locating(error)
        }
    }

    /// Returns whether a value is stored for the setting.
    ///
    /// The stored value may be undecodable, or equal to the default. If the store is missing or cannot be read, it is diagnosed,
    /// and the answer is false.
    public func isSet(_ setting: SettingDefinition) -> Bool {
        do throws(SettingsError) {
            let sources = try connection(for: setting.key).requireSources(for: setting.key)
            return try sources.read(setting.key).hasValue
        } catch {
            connections.diagnostics.reportOnce(error)
            return false
        }
    }

    /// Returns the names of all settings stored in a scope, sorted. The library's own entries are not settings.
    ///
    /// If the store is missing, cannot be read or cannot list its keys, it is diagnosed, and the result is empty.
    public func keys(in scope: Scope) -> [String] {
        do throws(SettingsError) {
            return try connections[scope].requireSources().keys().filter { !StorageKey.isLibraryName($0) }.sorted()
        } catch {
            connections.diagnostics.reportOnce(error)
            return []
        }
    }

    /// Returns the stored values of a scope by name, decoded as JSON, without the types of settings.
    ///
    /// A value is a `Bool`, an `Int64`, a `UInt64` or a `Decimal` that no smaller type represents, a `Double`, a `String`, an array
    /// or a dictionary of these, or nil for `null`. Bytes that are no JSON are `Data`. The values are read one after the other.
    ///
    /// A store that is missing or cannot list its keys is diagnosed, and the answer is empty. A value that cannot be read is
    /// diagnosed and left out.
    public func values(in scope: Scope) -> [String: (any Sendable)?] {
        var values: [String: (any Sendable)?] = [:]
        let names = keys(in: scope)
        guard let sources = connections[scope].sources else { return values }
        for name in names {
            do throws(SettingsError) {
                guard let data = try sources.read(StorageKey(name, scope: scope)).data else { continue }
                values.updateValue(JSONValue(json: data).map(\.untyped) ?? data, forKey: name)
            } catch {
                connections.diagnostics.reportOnce(error)
            }
        }
        return values
    }
}

extension SettingsService {
    /// The source of a setting's value.
    public enum Source: Hashable, Sendable {
        /// A layer of the store other than the one that is written to.
        case layer(String)
        /// The store, or its layer that is written to.
        case store
        /// The setting's definition: no layer has a value that the setting accepts.
        case `default`
    }

    /// Returns the source of the setting's value.
    ///
    /// It reads the store. If the store is missing or cannot be read, it is diagnosed, and the answer is ``Source/default``.
    public func source(of setting: SettingDefinition) -> Source {
        guard let candidate = resolved(setting)?.candidate else { return .default }
        return candidate.layer.map { .layer($0) } ?? .store
    }

    /// Returns whether the setting reads as its default because no value is stored, or none that the setting accepts. It reads the
    /// store, as ``source(of:)`` does.
    public func isDefault(_ setting: SettingDefinition) -> Bool { source(of: setting) == .default }

    /// The reason why a setting cannot be changed: a layer above the one that is written to.
    public struct Lock: Sendable {
        /// The name of the layer.
        public let layer: String
        /// The argument or the variable that has the value; nil for another layer.
        public let location: String?
        /// The error because of which the layer cannot be read, so that it locks every setting that it may lock; nil if it has a
        /// value.
        public let problem: SettingsError?

        /// Returns the error of a change that the lock prevents.
        package func error(of key: StorageKey) -> SettingsError {
            SettingsError(
                problem == nil ? .locked : .lockedByUnreadableLayer, key: key, store: location, layer: layer,
                underlying: problem)
        }

        init(layer: String, location: String? = nil, problem: SettingsError? = nil) {
            (self.layer, self.location, self.problem) = (layer, location, problem)
        }
    }

    /// Returns whether the setting cannot be changed; ``lock(of:)`` returns the reason.
    public func isLocked(_ setting: SettingDefinition) -> Bool { lock(of: setting) != nil }

    /// Returns the reason why the setting cannot be changed: a layer above the one that is written to has a value that the setting
    /// accepts, or cannot be read. Nil if the setting can be changed.
    ///
    /// It reads the store. If the store is missing or cannot be read, it is diagnosed, and the answer is nil.
    public func lock(of setting: SettingDefinition) -> Lock? {
        resolved(setting).flatMap { $0.store.lock(of: setting.key, holding: $0.stored, $0.candidate) }
    }

    /// Returns the error of the setting's stored value that is not used: the first one, of all layers, that the setting rejects; or
    /// the error because of which the store cannot be read. Nil if there is none.
    public func problem(of setting: SettingDefinition) -> SettingsError? {
        setting.catalogued.state(in: self, showsSecrets: false).problem
    }

    /// Returns the text of the setting's value; a placeholder for a value without a text, or for a secret setting.
    public func text(of setting: SettingDefinition) -> String {
        setting.text(in: self)
    }

    /// Parses a text, and stores the value, as ``save(_:to:)`` does. The setting's type determines the meaning of the text.
    ///
    /// A Boolean is `true`, `yes`, `on` or `1`, or their opposites; a number is decimal; a string is the text itself; an
    /// enumeration is its raw value; a date is in ISO 8601; a duration has units; `Data` is in base 64, or hexadecimal after `hex:`; lists have
    /// commas or are JSON; structures are JSON, and so is the value of a setting with a transformer.
    ///
    /// - Throws: ``SettingsError`` with the code `invalidValue` and the expected value, if the text is no value that the setting
    ///   accepts; otherwise as ``save(_:to:)``.
    public func set(_ setting: SettingDefinition, fromText text: String) throws {
        try setting.set(fromText: text, in: self)
    }

    /// Returns whether a store has a layer with secrets.
    func mayHaveSecrets(in scope: Scope) -> Bool {
        (connections[scope].store?.store as? LayeredStore)?.hasSecrets == true
    }

    /// Returns the stored values of a setting, and the candidate in force; nil, with a diagnosis, if they cannot be read.
    private func resolved(
        _ setting: SettingDefinition
    ) -> (store: ConnectedStore, stored: StoredValue, candidate: SettingsStoreCandidate?)? {
        let cached = setting.cached(in: self)
        do throws(SettingsError) {
            let store = try connection(for: setting.key).requireStore(for: setting.key)
            let stored = try store.read(setting.key)
            return (store, stored, cached.resolution(of: stored, in: store)?.candidate)
        } catch {
            connections.diagnostics.reportOnce(error)
            return nil
        }
    }

    /// Checks whether the setting accepts the value that locks it, after a store has rejected a write because of a lock.
    ///
    /// - Returns: The locking candidates, all of which the setting rejects.
    /// - Throws: `locked`, with the name of the layer.
    func disregardedLocks(
        of setting: any CachedSetting, key: StorageKey, in store: ConnectedStore
    ) throws(SettingsError) -> [SettingsStoreCandidate] {
        let stored = try store.read(key)
        // A last good value also locks, in place of bytes that the setting rejects.
        if let candidate = setting.resolution(of: stored, in: store)?.candidate, candidate.isLocking {
            throw store.locked(key, by: candidate)
        }
        return stored.all.filter(\.isLocking)
    }
}

extension SettingsService {
    /// Where a setting's value comes from.
    public enum Source: Hashable, Sendable {
        /// A layer of the store other than the one that is written to.
        case layer(String)
        /// The store, or the layer of it that is written to.
        case store
        /// The setting's definition: no layer has a value that the setting accepts.
        case `default`
    }

    /// Where the setting's value comes from.
    ///
    /// It reads the store. A store that is missing or cannot be read is diagnosed, and the answer is ``Source/default``.
    public func source(of setting: SettingDefinition) -> Source {
        guard let candidate = resolved(setting)?.resolution.candidate else { return .default }
        return candidate.layer.map { .layer($0) } ?? .store
    }

    /// Whether the setting reads as its default because nothing else counts: nothing is stored, or nothing that the setting
    /// accepts. It reads the store, as ``source(of:)`` does.
    public func isDefault(_ setting: SettingDefinition) -> Bool { source(of: setting) == .default }

    /// What keeps a setting from being changed: a layer above the one that is written to.
    public struct Lock: Sendable {
        /// The name of the layer.
        public let layer: String
        /// The argument or the variable that has the value; nil for another layer.
        public let location: String?
        /// Why the layer cannot be read, so that every setting is locked that it may lock; nil if it has a value.
        public let problem: SettingsError?

        /// The error of a change that the lock refuses.
        package func error(of key: StorageKey) -> SettingsError {
            SettingsError(
                problem == nil ? .locked : .lockedByUnreadableLayer, key: key, store: location, layer: layer,
                underlying: problem)
        }

        init(layer: String, location: String? = nil, problem: SettingsError? = nil) {
            (self.layer, self.location, self.problem) = (layer, location, problem)
        }
    }

    /// Whether the setting cannot be changed; ``lock(of:)`` says why.
    public func isLocked(_ setting: SettingDefinition) -> Bool { lock(of: setting) != nil }

    /// What keeps the setting from being changed: a layer above the one that is written to has a value that the setting
    /// accepts, or cannot be read. Nil if the setting can be changed.
    ///
    /// It reads the store. A store that is missing or cannot be read is diagnosed, and the answer is nil.
    public func lock(of setting: SettingDefinition) -> Lock? {
        resolved(setting).flatMap { $0.store.lock(of: setting.key, holding: $0.stored, $0.resolution.candidate) }
    }

    /// Why a value that is stored for the setting is not used: the first of all layers' that the setting does not accept, or
    /// the reason why the store cannot be read; nil if there is none.
    public func problem(of setting: SettingDefinition) -> SettingsError? {
        setting.catalogued.state(in: self, showsSecrets: false).problem
    }

    /// The text of the setting's value; for a value without a text, or of a secret setting, a sign in its place.
    public func text(of setting: SettingDefinition) -> String {
        setting.text(in: self)
    }

    /// Stores the value that a text stands for, as ``save(_:to:)`` does. The setting's type says what the text means.
    ///
    /// A Boolean is `true`, `yes`, `on` or `1`, or their opposites; a number is decimal; a string is the text itself; an
    /// enumeration is its raw value; a date is in ISO 8601; `Data` is in base 64; arrays and structures are JSON, and so is
    /// the value of a setting with a transformer.
    ///
    /// - Throws: ``SettingsError`` with the code `invalidValue`, and what is expected, if the text stands for no value that
    ///   the setting accepts; otherwise as ``save(_:to:)``.
    public func set(_ setting: SettingDefinition, fromText text: String) throws {
        try setting.set(fromText: text, in: self)
    }

    /// What is stored for a setting, and what of it counts; nil, with a diagnosis, if it cannot be read.
    private func resolved(
        _ setting: SettingDefinition
    ) -> (store: ConnectedStore, stored: StoredValue, resolution: Resolution<any Sendable>)? {
        let cached = setting.cached(in: self)
        do throws(SettingsError) {
            let store = try connection(for: setting.key).requireStore(for: setting.key)
            let stored = try store.read(setting.key)
            return (store, stored, cached.resolve(stored, set: nil))
        } catch {
            connections.diagnostics.reportOnce(error)
            return nil
        }
    }

    /// Finds out, after a store has refused a write because of a lock, whether the setting accepts the value that locks it.
    ///
    /// - Returns: The locking candidates, of which the setting accepts none.
    /// - Throws: `locked`, with the name of the layer.
    func disregardedLocks(
        of setting: any CachedSetting, key: StorageKey, in store: ConnectedStore
    ) throws(SettingsError) -> [SettingsStoreCandidate] {
        let stored = try store.read(key)
        // Also a last good value locks, in the place of bytes that the setting does not accept.
        if let candidate = setting.resolve(stored, set: nil).candidate, candidate.isLocking {
            throw store.locked(key, by: candidate)
        }
        return stored.all.filter(\.isLocking)
    }
}

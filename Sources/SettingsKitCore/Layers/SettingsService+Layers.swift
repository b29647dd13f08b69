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
        guard let (reading, _, _) = setting.slot(in: self).look(), let source = reading.verdict.origin?.source else {
            return .default
        }
        return reading.sources.all[source].layer.name.map { .layer($0) } ?? .store
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

        /// The layer's store in messages.
        private let store: String?

        /// Returns the error of a change that the lock prevents.
        package func error(of key: StorageKey) -> SettingsError {
            SettingsError(
                problem == nil ? .locked : .lockedByUnreadableLayer, key: key, store: location ?? store, layer: layer,
                underlying: problem)
        }

        init(layer: String?, location: String? = nil, problem: SettingsError? = nil, in store: (any SettingsStore)?) {
            (self.layer, self.location, self.problem) = (layer ?? "", location, problem)
            self.store = store?.storeDescription
        }
    }

    /// Returns whether the setting cannot be changed; ``lock(of:)`` returns the reason.
    public func isLocked(_ setting: SettingDefinition) -> Bool { lock(of: setting) != nil }

    /// Returns the reason why the setting cannot be changed: a layer above the one that is written to has a value that the setting
    /// accepts, or cannot be read. Nil if the setting can be changed.
    ///
    /// It reads the store. If the store is missing or cannot be read, it is diagnosed, and the answer is nil.
    public func lock(of setting: SettingDefinition) -> Lock? {
        setting.slot(in: self).look()?.0.lock
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
        (connections[scope].sources?.store as? LayeredStore)?.hasSecrets == true
    }
}

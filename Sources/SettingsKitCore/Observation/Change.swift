extension SettingsService {
    /// Where a change was made.
    public enum Origin: Hashable, Sendable {
        /// This process, through any service or handle.
        case local
        /// Elsewhere: by another process, another device, an editor, or a store that dropped a value.
        case external
    }

    /// One change of one setting.
    public struct Change<T: Sendable>: Sendable {
        /// The setting's name and scope.
        public let key: StorageKey
        /// The value that the setting had before.
        public let oldValue: T
        /// The value that the setting has after the change; its default if it was reset.
        public let newValue: T
        /// Whether ``newValue`` is stored. False if it is the default, because no value is stored or none that the setting accepts.
        public let isSet: Bool
        /// Where the change was made.
        public let origin: Origin

        init(key: StorageKey, oldValue: T, newValue: T, isSet: Bool, origin: Origin) {
            self.key = key
            self.oldValue = oldValue
            self.newValue = newValue
            self.isSet = isSet
            self.origin = origin
        }

        /// - Precondition: The change is one of a setting with this type.
        init(_ change: SlotChange) {
            let slot = unsafeDowncast(change.slot, to: Slot<T>.self)
            self.init(
                key: slot.key, oldValue: slot.value(of: change.before), newValue: slot.value(of: change.after),
                isSet: change.after.origin != nil, origin: change.origin)
        }
    }

    /// The settings of a scope that were changed together, by one transaction for example.
    public struct ChangeSet: Hashable, Sendable {
        /// The names and the scope of the settings that changed.
        public let keys: Set<StorageKey>
        /// Where the changes were made; `.external` if at least one of them is external.
        public let origin: Origin

        /// Returns whether a setting is among those that changed.
        public func contains(_ setting: SettingDefinition) -> Bool { keys.contains(setting.key) }

        /// Returns the changes of some settings only; nil if none of them has changed.
        package func limited(to keys: Set<StorageKey>) -> ChangeSet? {
            let concerned = self.keys.intersection(keys)
            return concerned.isEmpty ? nil : ChangeSet(keys: concerned, origin: origin)
        }

        func merged(with newer: ChangeSet) -> ChangeSet {
            ChangeSet(
                keys: keys.union(newer.keys),
                origin: origin == .external || newer.origin == .external ? .external : .local)
        }
    }
}

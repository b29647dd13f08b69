#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    // @unchecked: inherited from SettingDefinition; the properties here are `let`s of Sendable types.
    /// Defines a setting: its name, its scope, its default, and how its value is stored.
    ///
    /// ```swift
    /// extension SettingsService.SettingDefinition {
    ///     static let theme    = Setting<Theme>("theme", in: .shared, default: .system)
    ///     static let nickname = Setting<String?>("nickname", in: .defaults)
    ///     static let volume   = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    /// }
    /// ```
    ///
    /// The default is the value while no value is stored; it is never written. A setting is immutable and may be used from any
    /// thread, by any number of services. Define settings as `static let`: a service caches the decoded value of each setting
    /// object, so an object that is created at each access is read slowly.
    public final class Setting<T: Sendable>: SettingDefinition, @unchecked Sendable {
        let coding: ValueCoding<T>
        let hooks: SettingHooks<T>?
        /// The namespace of the setting's name; nil for the global one.
        public let namespace: (any SettingsNamespace.Type)?
        /// Called inside a connection's lock when the value changes, if the setting is the field of a record.
        let whenInvalidated: (@Sendable () -> Void)?

        convenience init(
            key: StorageKey, namespace: (any SettingsNamespace.Type)? = nil, default: DefaultValue<T>,
            form: StoredForm<T>, processing: (@Sendable (T) -> T)? = nil, hooks: SettingHooks<T>? = nil
        ) {
            let coding = ValueCoding(key: key, default: `default`, form: form, processing: processing)
            self.init(coding: coding, namespace: namespace, hooks: hooks)
        }

        init(
            coding: ValueCoding<T>, namespace: (any SettingsNamespace.Type)?, hooks: SettingHooks<T>?,
            help: String? = nil, isSecret: Bool = false, whenInvalidated: (@Sendable () -> Void)? = nil
        ) {
            self.whenInvalidated = whenInvalidated
            self.coding = coding
            self.namespace = namespace
            self.hooks = hooks
            super.init(key: coding.key, help: help, isSecret: isSecret)
        }

        /// The bytes under which a value is stored, after the setting's processing and validation; nil if it is stored as nothing.
        package func bytes(for value: T) throws(SettingsError) -> Data? { try coding.bytes(for: coding.process(value)) }

        override func slot(in service: SettingsService) -> AnySlot { service.slot(for: self) }

        override func text(in service: SettingsService) -> String {
            if isSecret { return Self.hidden }
            guard service.mayHaveSecrets(in: key.scope) else {
                return coding.text(of: service.get(self)) ?? Self.withoutText
            }
            // The value and its source at one moment.
            return state(in: service, showsSecrets: false).text
        }

        override func set(fromText text: String, in service: SettingsService) throws(SettingsError) {
            try service.write(coding.read(text), to: self, .ofSave)
        }

        /// A description of valid values, for people: "an integer from 1 to 65535".
        override public var expected: String { coding.expected }

        /// The type of the setting's value.
        override public var valueType: any Sendable.Type { T.self }

        /// The text of the default; nil if the default is computed or has no text.
        override public var defaultText: String? {
            guard case .constant(let value) = coding.default.source else { return nil }
            return isSecret ? Self.hidden : coding.text(of: value)
        }

        override var hasHooks: Bool { hooks != nil }

        override func addHooks(
            of change: HookedChange, in service: SettingsService, to hooks: inout CommitHooks
        ) {
            guard let own = self.hooks else { return }
            let slot = service.slot(for: self)
            func value(in row: Row) -> T {
                slot.value(of: slot.judge(row, after: slot.read()?.verdict, in: change.sources))
            }
            // In two steps: casting "no value" to an optional type would give its nil.
            let newValue = change.newValue.flatMap { $0 as? T }
            hooks.add(own, oldValue: value(in: change.old), newValue: newValue ?? value(in: change.new))
        }

        /// The value while no value is stored.
        public var defaultValue: T { coding.defaultValue }
    }
}

/// A short name for ``SettingsService/Setting``.
public typealias Setting = SettingsService.Setting

/// A short name for ``SettingsService/SettingDefinition``.
public typealias SettingDefinition = SettingsService.SettingDefinition

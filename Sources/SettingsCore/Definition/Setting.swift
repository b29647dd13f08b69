#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsService {
    // @unchecked: inherited from SettingDefinition; the one property here is a `let` of a Sendable type.
    /// One setting, defined once: its name, its scope, its default, and how its value is stored.
    ///
    /// ```swift
    /// extension SettingsService.SettingDefinition {
    ///     static let theme    = Setting<Theme>("theme", in: .shared, default: .system)
    ///     static let nickname = Setting<String?>("nickname", in: .defaults)
    ///     static let volume   = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    /// }
    /// ```
    ///
    /// A default is never written: it is what the setting reads as while nothing is stored. A setting is immutable and
    /// may be used from any thread, by any number of services. Define settings as `static let`: a service keeps the
    /// decoded value of each setting object, so an object made anew for each access is read slowly.
    public final class Setting<T: Codable & Sendable>: SettingDefinition, @unchecked Sendable {
        let coding: ValueCoding<T>

        init(
            key: StorageKey, default: DefaultValue<T>, processing: (@Sendable (T) -> T)?, form: StoredForm<T>
        ) {
            coding = ValueCoding(key: key, default: `default`, processing: processing, form: form)
            super.init(key: key)
        }

        /// What the setting reads as while nothing is stored.
        public var defaultValue: T { coding.defaultValue }
    }
}

/// A setting, as ``SettingsService/Setting`` spelled without its prefix.
public typealias Setting = SettingsService.Setting

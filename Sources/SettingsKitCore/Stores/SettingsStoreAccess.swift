/// The access of a store to its files.
public enum SettingsStoreAccess: Sendable {
    /// Reads, and writes when a setting is set.
    case readWrite
    /// Reads, and never writes, locks or creates anything. Setting throws ``SettingsError/Code/readOnly``. Each store's initializer
    /// describes the effect on its files.
    case readOnly
}

/// What a store may do with its files.
public enum SettingsStoreAccess: Sendable {
    /// Reads, and writes when a setting is set.
    case readWrite
    /// Reads, and never writes, locks or creates anything. Setting throws ``SettingsError/Code/readOnly``. Each store's
    /// initializer says what that means for its files.
    case readOnly
}

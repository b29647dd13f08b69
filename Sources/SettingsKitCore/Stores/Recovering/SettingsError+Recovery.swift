extension SettingsError.Code {
    /// The store cannot be opened yet. The change is kept in memory and made in the store when that can be opened; it is
    /// lost if the process ends first.
    public static let pending = Self(
        name: "pending",
        advice: "The store cannot be opened yet; changes are kept in memory, made in the store when it can be opened, "
            + "and lost if the process ends first.")
    /// A store that could not be opened is open now. Settings read as it has them, and the changes that were kept in memory
    /// are stored.
    public static let recovered = Self(
        name: "recovered",
        advice: "The store is open now; settings read as stored in it, and changes that were kept in memory are stored."
    )
}

extension SettingsError {
    /// Whether the same operation may succeed later, because it failed at the store and not at what was to be stored.
    var isOfStore: Bool {
        switch code {
        case .busy, .conflict, .journalUnavailable, .memoryOnly, .notSaved, .readFailed, .readOnly, .storeUnavailable,
            .writeFailed:
            true
        default: false
        }
    }
}

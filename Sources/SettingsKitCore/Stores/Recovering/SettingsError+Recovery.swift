extension SettingsError.Code {
    /// The store cannot be opened yet, or another process keeps it locked. The change is kept in memory and made in the store
    /// as soon as possible; it is lost if the process ends first.
    public static let pending = Self(
        name: "pending",
        advice: "The store cannot be opened or written yet; changes are kept in memory, made in the store when that is "
            + "possible, and lost if the process ends first.")
    /// A store that could not be opened or written can be used now. Settings have its values, and it has the changes that were kept
    /// in memory.
    public static let recovered = Self(
        name: "recovered",
        advice:
            "The store can be used now; settings read as stored in it, and changes that were kept in memory are stored."
    )
}

extension SettingsError {
    /// Whether the same operation may succeed later, because the store failed and the content is valid.
    var isOfStore: Bool {
        switch code {
        case .busy, .conflict, .journalUnavailable, .memoryOnly, .notSaved, .readFailed, .readOnly, .storeUnavailable,
            .writeFailed:
            true
        default: false
        }
    }
}

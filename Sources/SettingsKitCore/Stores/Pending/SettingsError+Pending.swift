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

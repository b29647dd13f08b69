#if DEBUG
    import SettingsKitCore

    /// Replaces `Synchronization.Mutex` in debug builds, which check the ranks.
    typealias Mutex = RankedMutex
#endif

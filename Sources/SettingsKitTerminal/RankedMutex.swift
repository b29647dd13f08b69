#if DEBUG
    import SettingsKit

    /// Replaces `Synchronization.Mutex` in debug builds, which check the ranks.
    typealias Mutex = RankedMutex
#endif

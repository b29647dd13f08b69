#if SETTINGSKIT_THREAD_SANITIZER
    import SettingsKitCore

    /// Replaces `Synchronization.Mutex`, which the thread sanitizer does not know, in a build for it.
    typealias Mutex = SanitizedMutex
#endif

#if SETTINGSKIT_THREAD_SANITIZER
    import SettingsKitCore

    /// In a build for the thread sanitizer, in the place of `Synchronization.Mutex`, which it does not know.
    typealias Mutex = SanitizedMutex
#endif

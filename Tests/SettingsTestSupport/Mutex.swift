// For the tests of all targets, which import nothing else for `Mutex` and `Atomic`: not `Synchronization` itself, whose
// mutex the thread sanitizer does not know.
#if SETTINGSKIT_THREAD_SANITIZER
    import SettingsKitCore
    @_exported import struct Synchronization.Atomic

    /// In a build for the thread sanitizer, in the place of `Synchronization.Mutex`.
    package typealias Mutex = SanitizedMutex
#else
    @_exported import Synchronization
#endif

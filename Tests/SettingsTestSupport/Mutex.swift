// For the tests of all targets, which import nothing else for `Mutex` and `Atomic`: not `Synchronization` itself, whose
// mutex is not the one of a debug build.
#if DEBUG
    import SettingsKitCore
    @_exported import struct Synchronization.Atomic

    package typealias Mutex = RankedMutex

    extension RankedMutex where Value: ~Copyable {
        /// A mutex of a test, which is not counted.
        package init(_ value: consuming sending Value) { self.init(value, nil) }
    }
#else
    @_exported import Synchronization
#endif

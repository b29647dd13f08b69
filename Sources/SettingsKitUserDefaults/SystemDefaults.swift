import Foundation
import SettingsKitCore
import Synchronization

extension UserDefaults: SystemObjects {
    var names: [String] { Array(dictionaryRepresentation().keys) }
}

/// The values of a `UserDefaults`, for all threads.
///
/// No platform declares `UserDefaults` `Sendable`. On Apple platforms any thread may use it, according to Apple's documentation. No
/// lock is held while it is written, because that notifies observers, which may use it again. On Linux it has no observers, and one
/// thread at a time uses it. The functions of a user's subclass are an exception: those that read are called inside locks.
final class SystemDefaults: SystemValues {
    // nonisolated(unsafe): a constant, whose object any thread may use on Apple platforms: "The UserDefaults class is
    // thread-safe." On Linux it is used only with the lock held.
    private nonisolated(unsafe) let defaults: UserDefaults
    #if canImport(Darwin)
        private let observation: UserDefaultsKeyObservation
    #else
        private let lock = Mutex((), .leaf)
    #endif

    init(_ defaults: sending UserDefaults) {
        #if canImport(Darwin)
            observation = UserDefaultsKeyObservation(of: defaults)
        #endif
        self.defaults = defaults
    }

    func withDefaults<R: Sendable>(_ body: (UserDefaults) -> R) -> R {
        #if canImport(Darwin)
            HeldLocks.excepting { body(defaults) }
        #else
            lock.withLock { _ in HeldLocks.excepting { body(defaults) } }
        #endif
    }

    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
            observation.observe(name.precomposedStringWithCanonicalMapping, signal)
        #endif
    }

    func data(named name: String, isURL: Bool) -> Data? { withDefaults { $0.data(named: name, isURL: isURL) } }

    func write(_ data: Data?, named name: String, isURL: Bool) {
        withDefaults { $0.write(data, named: name, isURL: isURL) }
    }

    func names() -> [String] { withDefaults(\.names) }

    func synchronize() -> Bool { withDefaults { $0.synchronize() } }
}

import Foundation
import SettingsKitCore
import SettingsKitFiles

/// The values of a `UserDefaults`, for all threads.
///
/// No platform declares `UserDefaults` `Sendable`. On Apple platforms any thread may use it, according to Apple's documentation. No
/// lock is held while it is used, because a write notifies observers, which may use it again. On Linux it has no observers, and one
/// thread at a time uses it.
final class SystemDefaults: UserDefaultsValues {
    // nonisolated(unsafe): a constant, whose object any thread may use on Apple platforms: "The UserDefaults class is
    // thread-safe." On Linux it is used only with the lock held.
    private nonisolated(unsafe) let defaults: UserDefaults
    #if canImport(Darwin)
        private let observation: UserDefaultsKeyObservation
    #else
        // Recursive, because a subclass may use the store again.
        private let lock = NSRecursiveLock()
        #if DEBUG
            private let identity = HeldLocks.Identity(rank: .userDefaults)
        #endif
    #endif

    init(_ defaults: sending UserDefaults) {
        #if canImport(Darwin)
            observation = UserDefaultsKeyObservation(of: defaults)
        #endif
        self.defaults = defaults
    }

    /// Calls `signal` when names that ``observe(_:_:)`` cannot observe may have changed.
    ///
    /// On Apple platforms, that is after changes that this process makes through any instance. On Linux, `UserDefaults` announces
    /// very few changes. There, only notifications of this instance are used, so that the removal of another suite is no reason to
    /// read this one.
    func observeOthers(_ signal: @escaping @Sendable () -> Void) -> NotificationObservation {
        #if canImport(Darwin)
            let object: UserDefaults? = nil
        #else
            // nonisolated(unsafe): only its identity is used.
            nonisolated(unsafe) let object = defaults
        #endif
        return NotificationObservation(of: UserDefaults.didChangeNotification, from: object) { _ in signal() }
    }

    /// Returns whether a name can be observed.
    static func canObserve(_ name: String) -> Bool {
        #if canImport(Darwin)
            UserDefaultsKeyObservation.canObserve(name)
        #else
            false
        #endif
    }

    func withDefaults<R>(_ body: (UserDefaults) -> R) -> R {
        #if canImport(Darwin)
            body(defaults)
        #else
            // An exception: the object may be an instance of a user's class.
            withLock { HeldLocks.excepting { body(defaults) } }
        #endif
    }

    func use(_ body: () -> Void) {
        #if canImport(Darwin)
            body()
        #else
            withLock(body)
        #endif
    }

    #if !canImport(Darwin)
        private func withLock<R>(_ body: () -> R) -> R {
            #if DEBUG
                HeldLocks.willLock(identity)
                defer { HeldLocks.didUnlock(identity) }
            #endif
            lock.lock()
            defer { lock.unlock() }
            return body()
        }
    #endif

    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
            observation.observe(composed(name), signal)
        #endif
    }

    func names() -> [String] { withDefaults { Array($0.dictionaryRepresentation().keys) } }

    /// Makes `UserDefaults` write its file, as far as it supports that.
    func synchronize() -> Bool { withDefaults { $0.synchronize() } }

    // MARK: Objects

    /// Returns one form of a name. Names are equal if they are equal as Swift strings, but `UserDefaults` on Linux compares them
    /// bit by bit.
    private func composed(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    private func object(_ name: String) -> PropertyListValue? {
        let (composed, decomposed) = (composed(name), name.decomposedStringWithCanonicalMapping)
        return withDefaults { defaults in
            // An app may have used the decomposed form.
            let object = defaults.object(forKey: composed) ?? defaults.object(forKey: decomposed)
            return object.flatMap(PropertyListValue.init(object:))
        }
    }

    func data(named name: String, isURL: Bool) -> Data? {
        object(name).map { isURL ? $0.bytesOfURL : NativeValue.bytes(of: $0) }
    }

    func write(_ data: Data?, named name: String, isURL: Bool) {
        let old = object(name)
        let new = data.map {
            (isURL ? PropertyListValue.storableURL($0, resembling: old) : nil)
                ?? PropertyListValue.storable($0, resembling: old)
        }
        let (composed, decomposed) = (composed(name), name.decomposedStringWithCanonicalMapping)
        // On Linux, removing one form of a name also removes the other, so the value is set last.
        if !decomposed.unicodeScalars.elementsEqual(composed.unicodeScalars) {
            withDefaults { $0.removeObject(forKey: decomposed) }
        }
        // On Linux, a value that is equal as a Swift string is not replaced, even if its bytes differ.
        if new == nil || new == old { withDefaults { $0.removeObject(forKey: composed) } }
        guard let new else { return }
        withDefaults { $0.set(new.object, forKey: composed) }
        // `UserDefaults` may convert a value.
        if let data, self.data(named: name, isURL: isURL) != data { withDefaults { $0.set(data, forKey: composed) } }
    }
}

import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

/// Keeps settings in `UserDefaults`, as native values that the rest of an app can read and write.
///
/// A setting of `String` is a string in `UserDefaults`, one of `Int` a number, and so on, as `object(forKey:)` shows. A setting of
/// the matching type reads values that an app has stored natively (Booleans, numbers, strings, dates, data, arrays, dictionaries).
/// Values whose bytes cannot be restored from a native value are stored as data. A setting of `URL` without a transformer is the
/// path of a file, or an archive, as `UserDefaults.url(forKey:)` reads it. A setting of `Date` is a string in ISO 8601, or a date
/// object where one is stored.
///
/// On Apple platforms, `import SettingsKit` makes the store available. On Linux, also import the product `SettingsKitUserDefaults`,
/// which contains it.
///
/// Other code also changes `UserDefaults`, so each `get` reads it. Listeners receive changes made through this store at once. On
/// Apple platforms, they also receive changes that other code, instances and processes make to settings that were read, as
/// `@AppStorage` does. Key-value observing does not accept a name that contains a full stop or begins with an @. The store notices
/// changes of other processes to such a name at ``synchronize()``. On Linux, where `UserDefaults` announces no changes, the store
/// notices all changes of other code then and whenever it writes.
///
/// No lock is held while `UserDefaults` is written, so its observers may use this store, and wait for threads that do. If two threads
/// set one name at the same time, the first one stores both values; a direct look into `UserDefaults` shows the second value a
/// moment after its `set` has returned. ``get(_:)`` returns it at once.
///
/// On Linux, `UserDefaults` writes its file only on request, and processes that share a file overwrite each other's values. This
/// store requests a write soon after each change and at exit, but cannot prevent the overwriting: prefer ``PropertyListStore``
/// there.
public final class UserDefaultsStore: SettingsStore {
    /// The app's standard defaults.
    public static let standard = UserDefaultsStore(.standard, name: "standard")

    private let contents: SystemStore
    #if canImport(Darwin)
        private let observation: NotificationObservation
    #else
        private let values: SystemDefaults
        private let writer = WriteBehind(delay: .milliseconds(100))
    #endif

    /// Opens the defaults of a suite, which other code can also open: an app group on Apple platforms.
    ///
    /// - Precondition: `suite` is not a name that `UserDefaults` rejects: the app's bundle identifier and the
    ///   global domain.
    public convenience init(suite: String) {
        guard let defaults = UserDefaults(suiteName: suite) else {
            preconditionFailure("UserDefaults does not take \"\(suite)\" as the name of a suite.")
        }
        self.init(defaults, name: suite)
    }

    /// Uses another object for the defaults, a subclass for example.
    ///
    /// - Parameters:
    ///   - defaults: The object, which the caller no longer uses.
    ///   - name: The name of the store in messages.
    public init(_ defaults: sending UserDefaults, name: String) {
        let values = SystemDefaults(defaults)
        contents = SystemStore(values, description: "UserDefaultsStore (\(name))")
        #if canImport(Darwin)
            observation = NotificationObservation(of: [UserDefaults.didChangeNotification], from: nil) {
                [weak contents] _ in contents?.noticeChanges { !UserDefaultsKeyObservation.canObserve($0) }
            }
        #else
            self.values = values
            writer.begin { [contents] in
                try contents.synchronize()
                return true
            } report: { [contents] error in
                contents.feed?.report(.wrap(error, as: .notSaved, store: contents.storeDescription))
            }
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            _ = values.synchronize()
        #endif
    }

    /// Publishes changes made through this store at once, and changes of other code when `UserDefaults` announces them.
    public var feed: SettingsStoreFeed? { contents.feed }

    /// "UserDefaultsStore" and the suite.
    public var storeDescription: String { contents.storeDescription }

    /// Returns the bytes of the object under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { contents.get(key) }

    /// Stores bytes under a key, natively if possible, or removes the key. Never throws.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    /// Applies a batch if its expectations hold in this process. Never throws.
    public func apply(_ batch: SettingsStoreBatch) -> Bool {
        let isApplied = contents.apply(batch)
        #if !canImport(Darwin)
            writer.schedule()
        #endif
        return isApplied
    }

    /// Returns the names in this suite. Those of the app's standard defaults include names of the system.
    public func keys() -> [String] { contents.keys() }

    /// Makes `UserDefaults` write its file, as far as it supports that: on Linux at once, on Apple platforms later.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if it reports a failure.
    public func synchronize() throws { try contents.synchronize() }
}

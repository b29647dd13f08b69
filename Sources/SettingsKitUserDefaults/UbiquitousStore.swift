#if canImport(SwiftUI)
    import Foundation
    import SettingsKitCore
    import SettingsKitFiles
    import Synchronization
    // The stub module for type-checking without Apple's SDK has declarations that Foundation lacks there.
    import SwiftUI

    /// Keeps settings in iCloud's key-value store: at most 1,024 keys and 1 MB in total, on the Apple devices of one
    /// account.
    ///
    /// Values are stored natively if possible, as by `UserDefaultsStore`, so a setting of the matching type reads values that other
    /// code has stored (Booleans, numbers, strings, arrays, dictionaries). Changes of other devices, and those of an account that
    /// signs in or out, are published with the origin ``SettingsService/Origin/external``. The app needs the iCloud key-value
    /// entitlement. Without an account, the system keeps values on the device and uploads them later. If the app has too many
    /// values for iCloud, ``SettingsError/Code/notSaved`` is reported.
    public final class UbiquitousStore: SettingsStore {
        /// The app's store in iCloud.
        public static let standard = UbiquitousStore(.default, name: "standard")

        private let contents: UbiquitousContents
        private let observation: NotificationObservation

        /// Uses another object for the store, a subclass for example.
        ///
        /// - Parameters:
        ///   - store: The object, which the caller no longer uses.
        ///   - name: The name of the store in messages.
        public init(_ store: sending NSUbiquitousKeyValueStore, name: String) {
            let values = SystemValues(store)
            let contents = UbiquitousContents(values, description: "UbiquitousStore (\(name))")
            self.contents = contents
            observation = values.onChange { [weak contents] event, names in contents?.notice(event, of: names) }
            _ = values.synchronize()
        }

        /// Publishes changes of this device and of others.
        public var feed: SettingsStoreFeed? { contents.feed }

        /// "UbiquitousStore" and the name.
        public var storeDescription: String { contents.storeDescription }

        /// Returns the bytes stored under a key. Never throws.
        public func get(_ key: SettingsService.StorageKey) -> Data? { contents.get(key) }

        /// Stores bytes under a key, or removes the key.
        ///
        /// - Throws: ``SettingsError`` with the code `tooLarge` if the name has more than 64 bytes in UTF-8, or if the store
        ///   would have more than 1,024 keys or more than 1 MB.
        public func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try contents.set(key, to: data) }

        /// Applies a batch if its expectations hold on this device.
        ///
        /// - Throws: As ``set(_:to:)`` does. Nothing is changed then.
        public func apply(_ batch: SettingsStoreBatch) throws -> Bool { try contents.apply(batch) }

        /// Returns the names in the store.
        public func keys() -> [String] { contents.keys() }

        /// Passes changes to the system's background upload.
        ///
        /// - Throws: ``SettingsError`` with the code `notSaved` if the app lacks the entitlement.
        public func synchronize() throws { try contents.synchronize() }
    }

    /// The values of a `NSUbiquitousKeyValueStore`.
    private final class SystemValues: UbiquitousValues {
        // nonisolated(unsafe): a constant, whose object any thread may use: it is "safe to use from any thread".
        private nonisolated(unsafe) let store: NSUbiquitousKeyValueStore

        init(_ store: sending NSUbiquitousKeyValueStore) { self.store = store }

        func value(named name: String) -> PropertyListValue? {
            store.object(forKey: name).flatMap(PropertyListValue.init(object:))
        }

        func set(_ value: PropertyListValue?, named name: String) {
            if let value {
                store.set(value.object, forKey: name)
            } else {
                store.removeObject(forKey: name)
            }
        }

        var all: [String: PropertyListValue] {
            store.dictionaryRepresentation.compactMapValues(PropertyListValue.init(object:))
        }

        func synchronize() -> Bool { store.synchronize() }

        /// Calls `body` with each of the system's announcements, and the names that may have changed.
        func onChange(
            _ body: @escaping @Sendable (UbiquitousEvent, _ names: [String]?) -> Void
        ) -> NotificationObservation {
            NotificationObservation(of: NSUbiquitousKeyValueStore.didChangeExternallyNotification, from: store) {
                let event: UbiquitousEvent =
                    switch $0.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int {
                    case NSUbiquitousKeyValueStoreAccountChange: .otherAccount
                    case NSUbiquitousKeyValueStoreQuotaViolationChange: .quotaViolation
                    default: .otherDevices
                    }
                body(event, $0.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String])
            }
        }
    }
#endif

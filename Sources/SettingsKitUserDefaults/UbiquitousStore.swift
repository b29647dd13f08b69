#if canImport(SwiftUI)
    import Foundation
    import SettingsKitCore
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

        private let contents: SystemStore
        private let observation: NotificationObservation

        /// Uses another object for the store, a subclass for example.
        ///
        /// - Parameters:
        ///   - store: The object, which the caller no longer uses.
        ///   - name: The name of the store in messages.
        public init(_ store: sending NSUbiquitousKeyValueStore, name: String) {
            // nonisolated(unsafe): a constant, whose object any thread may use: it is "safe to use from any thread".
            nonisolated(unsafe) let object = store
            let values = UbiquitousValues(object)
            let contents = SystemStore(values, description: "UbiquitousStore (\(name))")
            self.contents = contents
            observation = NotificationObservation(
                of: [NSUbiquitousKeyValueStore.didChangeExternallyNotification], from: object
            ) { [weak contents] in
                let reason = $0.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
                contents?.noticeCloud(isFull: reason == NSUbiquitousKeyValueStoreQuotaViolationChange)
            }
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
        /// - Throws: ``SettingsError`` with the code `tooLarge` if the name has more than 64 bytes in UTF-8.
        public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
            _ = try apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
        }

        /// Applies a batch if its expectations hold on this device.
        ///
        /// - Throws: As ``set(_:to:)`` does. Nothing is changed then.
        public func apply(_ batch: SettingsStoreBatch) throws -> Bool { try contents.applyInCloud(batch) }

        /// Returns the names in the store.
        public func keys() -> [String] { contents.keys() }

        /// Passes changes to the system's background upload.
        ///
        /// - Throws: ``SettingsError`` with the code `notSaved` if the app lacks the entitlement.
        public func synchronize() throws { try contents.synchronize() }
    }

    extension NSUbiquitousKeyValueStore: SystemObjects {
        var names: [String] { Array(dictionaryRepresentation.keys) }
    }
#endif

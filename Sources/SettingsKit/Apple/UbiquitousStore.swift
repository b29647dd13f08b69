#if canImport(SwiftUI) && !os(watchOS)
    import Foundation
    import SettingsKitCore
    import Synchronization
    // The stub module for type-checking without Apple's SDK has declarations that Foundation lacks there.
    import SwiftUI

    /// Keeps settings in iCloud's key-value store: at most 1,024 keys and 1 MB in total, on the Apple devices of one
    /// account.
    ///
    /// Values are stored as data. Changes of other devices are published with the origin
    /// ``SettingsService/Origin/external``. The app needs the iCloud key-value entitlement. Without an account, the
    /// system keeps values on the device and uploads them later.
    public final class UbiquitousStore: SettingsStore {
        /// The app's store in iCloud.
        public static let standard = UbiquitousStore()

        /// The known bytes under the names that were read. Locked while the system's store is used.
        private let access = Mutex<[String: Data?]>([:])
        private let ownFeed = SettingsStoreFeed(isExhaustive: false)

        /// The system's only store, which any thread may use. Not kept: it is not marked `Sendable`.
        private var store: NSUbiquitousKeyValueStore { .default }

        private init() {
            _ = NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
            ) { [weak self] notification in
                let names = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
                self?.announce(names ?? [])
            }
            _ = store.synchronize()
        }

        /// Publishes changes of this device and of others.
        public var feed: SettingsStoreFeed? { ownFeed }

        /// "UbiquitousStore".
        public var storeDescription: String { "UbiquitousStore" }

        /// Returns the bytes stored under a key. Never throws.
        public func get(_ key: SettingsService.StorageKey) -> Data? {
            access.withLock { seen in
                let data = store.data(forKey: composed(key.name))
                // Only the first time: listeners have not been notified of a change that is read here.
                if seen[key.name] == nil { seen[key.name] = .some(data) }
                return data
            }
        }

        /// Stores bytes under a key, or removes it. Never throws: the system reports an exceeded quota later, if at all.
        public func set(_ key: SettingsService.StorageKey, to data: Data?) {
            _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
        }

        /// Applies a batch if its expectations hold on this device. Never throws.
        public func apply(_ batch: SettingsStoreBatch) -> Bool {
            let isApplied = access.withLock { seen in
                for entry in batch.expectations where store.data(forKey: composed(entry.key.name)) != entry.data {
                    return false
                }
                var changes: [SettingsStoreChange] = []
                for write in batch.writes {
                    let name = composed(write.key.name)
                    let old = store.data(forKey: name)
                    if let before = seen[write.key.name], before != old {
                        ownFeed.publish([.init(name: write.key.name, from: before, to: old)], origin: .external)
                        seen[write.key.name] = .some(old)
                    }
                    guard old != write.data else { continue }
                    if let data = write.data { store.set(data, forKey: name) } else { store.removeObject(forKey: name) }
                    seen[write.key.name] = .some(write.data)
                    changes.append(.init(name: write.key.name, from: old, to: write.data))
                }
                ownFeed.publish(changes, origin: .local)
                return true
            }
            ownFeed.flush()
            return isApplied
        }

        /// The names in the store.
        public func keys() -> [String] {
            access.withLock { _ in Array(store.dictionaryRepresentation.keys) }
        }

        /// Passes changes to the system's background upload.
        ///
        /// - Throws: ``SettingsError`` with the code `notSaved` if the app lacks the entitlement.
        public func synchronize() throws {
            // Outside the lock: it may post a notification, whose observer takes it.
            guard store.synchronize() else { throw SettingsError(.notSaved, store: storeDescription) }
        }

        private func composed(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

        private func announce(_ names: [String]) {
            access.withLock { seen in
                let changes = names.compactMap { name -> SettingsStoreChange? in
                    let now = store.data(forKey: name)
                    let before = seen[name] ?? nil
                    seen[name] = .some(now)
                    return before == now ? nil : SettingsStoreChange(name: name, from: before, to: now)
                }
                ownFeed.publish(changes, origin: .external)
            }
            ownFeed.flush()
        }
    }
#endif

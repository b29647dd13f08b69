#if canImport(Darwin)
    import Foundation
    import SettingsKitCore
    import SettingsKitFiles
    import Synchronization

    /// The preferences that an administrator forces on the app, by a configuration profile for example. They can only be
    /// read.
    ///
    /// Changes are noticed when `UserDefaults` posts `didChangeNotification`.
    package final class ManagedPreferencesStore: SettingsStore {
        package static let standard = ManagedPreferencesStore()

        private let defaults = SystemDefaults(.standard)
        private let contents = Mutex<[String: Data]>([:], .contents)
        private let ownFeed = SettingsStoreFeed()
        private let observation = Mutex<NotificationObservation?>(nil, .leaf)

        private init() {
            let observation = defaults.observeOthers { [weak self] in self?.refresh() }
            self.observation.withLock { $0 = observation }
            refresh()
        }

        package var feed: SettingsStoreFeed? { ownFeed }
        package var storeDescription: String { "managed preferences" }

        package func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }
        package func keys() -> [String] { contents.withLock { Array($0.keys) } }

        package func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
            throw SettingsError(.readOnly, key: key, store: storeDescription)
        }

        package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
            if batch.isQuestion {
                return contents.withLock { contents in batch.expectations.hold { contents[$0] } }
            }
            throw SettingsError(.readOnly, store: storeDescription)
        }

        /// Takes over what is forced now. Inside the lock, so that two calls follow each other: reading `UserDefaults` runs
        /// no foreign code.
        private func refresh() {
            contents.withLock { contents in
                let new = forcedValues()
                let changes = Set(contents.keys).union(new.keys).compactMap { name in
                    contents[name] == new[name]
                        ? nil : SettingsStoreChange(name: name, from: contents[name], to: new[name])
                }
                contents = new
                ownFeed.publish(changes, origin: .external)
            }
            ownFeed.flush()
        }

        private func forcedValues() -> [String: Data] {
            defaults.withDefaults { defaults in
                var values: [String: Data] = [:]
                for (name, object) in defaults.dictionaryRepresentation() where defaults.objectIsForced(forKey: name) {
                    guard let value = PropertyListValue(object: object) else { continue }
                    values[name] = NativeValue.bytes(of: value)
                }
                return values
            }
        }
    }
#endif

import Foundation
import SettingsKitCore
import Synchronization

/// The values that an administrator forces on the app, for ``ManagedPreferencesStore``.
package protocol ManagedValues: Sendable {
    /// Returns the values of a configuration profile, by name, and those of the managed app configuration under other names. Runs
    /// no foreign code.
    func all() -> [String: Data]
    /// Returns the value under one name. Takes the same time for any number of values.
    func value(named name: String) -> Data?
    /// Calls `signal` whenever the value under a name may have changed, if the system announces that for the name.
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void)
    /// Calls `signal` whenever values that cannot be observed by their names may have changed, until the result is released.
    func observeOthers(_ signal: @escaping @Sendable () -> Void) -> AnyObject & Sendable
}

/// The settings that an administrator forces on the app: the preferences in a configuration profile, and the managed app
/// configuration of a device management server. They can only be read.
///
/// `UserDefaults` announces a change of another process only to observers of its name. So the store observes each name that is
/// read.
package final class ManagedPreferencesStore: SettingsStore, NameFollowingStore {
    private let values: any ManagedValues
    private let contents = Mutex<[String: Data]>([:], .contents)
    private let followed = Mutex<Set<String>>([], .leaf)
    private let ownFeed = SettingsStoreFeed()
    private let observation = Mutex<(AnyObject & Sendable)?>(nil, .leaf)

    package init(_ values: any ManagedValues) {
        self.values = values
        let observation = values.observeOthers { [weak self] in self?.refresh() }
        self.observation.withLock { $0 = observation }
        refresh()
    }

    package var feed: SettingsStoreFeed? { ownFeed }
    package var storeDescription: String { "managed preferences" }

    package func get(_ key: SettingsService.StorageKey) -> Data? {
        follow(key.name)
        return contents.withLock { $0[key.name] }
    }

    package func keys() -> [String] { contents.withLock { Array($0.keys) } }

    package func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        throw SettingsError(.readOnly, key: key, store: storeDescription)
    }

    package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.isEmpty {
            return contents.withLock { contents in batch.expectations.hold { contents[$0] } }
        }
        throw SettingsError(.readOnly, store: storeDescription)
    }

    package func follow(_ name: String) {
        guard followed.withLock({ $0.insert(name).inserted }) else { return }
        values.observe(name) { [weak self] in self?.refresh(name) }
        // The value may have changed just before.
        refresh(name)
    }

    // Both functions read inside the lock, so that two calls follow each other.

    /// Reads all forced values, and publishes the changes.
    private func refresh() {
        contents.withLock { contents in
            let new = values.all()
            let changes = Set(contents.keys).union(new.keys).compactMap { name in
                contents[name] == new[name]
                    ? nil : SettingsStoreChange(name: name, from: contents[name], to: new[name])
            }
            contents = new
            ownFeed.publish(changes, origin: .external)
        }
        ownFeed.flush()
    }

    /// Reads the forced value under one name, and publishes the change.
    private func refresh(_ name: String) {
        contents.withLock { contents in
            let (old, new) = (contents[name], values.value(named: name))
            if old == new { return }
            contents[name] = new
            ownFeed.publish([SettingsStoreChange(name: name, from: old, to: new)], origin: .external)
        }
        ownFeed.flush()
    }
}

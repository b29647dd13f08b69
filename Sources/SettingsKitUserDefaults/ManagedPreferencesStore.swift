import Foundation
import SettingsKitCore
import Synchronization

/// The values that an administrator forces on the app, for ``ManagedPreferencesStore``.
package protocol ManagedValues: Sendable {
    /// Returns the names of a configuration profile, and those of the managed app configuration. Called inside a lock.
    func names() -> [String]
    /// Returns the value under one name. Called inside a lock; takes the same time for any number of values.
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
    private let known = Mutex(KnownValues(), .store)
    private let followed = Mutex<Set<String>>([], .leaf)
    private let ownFeed = SettingsStoreFeed()
    private let observation = Mutex<(AnyObject & Sendable)?>(nil, .leaf)

    package init(_ values: any ManagedValues) {
        self.values = values
        let observation = values.observeOthers { [weak self] in self?.noticeChanges() }
        self.observation.withLock { $0 = observation }
        noticeChanges()
    }

    package var feed: SettingsStoreFeed? { ownFeed }
    package var storeDescription: String { "managed preferences" }

    package func get(_ key: SettingsService.StorageKey) -> Data? {
        follow(key.name)
        return known.withLock { $0[key.name] ?? nil }
    }

    package func keys() -> [String] { known.withLock { known in known.names.filter { known[$0] != .some(nil) } } }

    package func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        throw SettingsError(.readOnly, key: key, store: storeDescription)
    }

    package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.writes.isEmpty else { throw SettingsError(.readOnly, store: storeDescription) }
        for expectation in batch.expectations { follow(expectation.key.name) }
        return known.withLock { known in batch.expectations.hold { known[$0] ?? nil } }
    }

    package func follow(_ name: String) {
        guard followed.withLock({ $0.insert(name).inserted }) else { return }
        values.observe(name) { [weak self] in self?.noticeChanges(of: name) }
        // The value may have changed just before.
        noticeChanges(of: name)
    }

    /// Reads the forced value under a name, or all forced values, and publishes the changes.
    private func noticeChanges(of name: String? = nil) {
        known.withLock { known in
            // Read inside the lock, so that two calls follow each other.
            let names = name.map { [$0] } ?? Array(Set(known.names + values.names()))
            let changes = names.compactMap { name in
                // Nothing was forced under a name that is not known.
                if known[name] == nil { _ = known.record(nil, under: name) }
                return known.record(values.value(named: name), under: name)
            }
            ownFeed.publish(changes, origin: .external)
        }
        ownFeed.flush()
    }
}

import Foundation
import SettingsKitCore
import Synchronization

/// The values that ``SystemStore`` keeps settings in: those of `UserDefaults` or of iCloud's key-value store.
protocol SystemValues: Sendable {
    /// Returns the bytes of the value under a name; nil if there is none. Called inside a lock.
    func data(named name: String, isURL: Bool) -> Data?
    /// Stores bytes under a name, or removes them. May call observers of the value.
    func write(_ data: Data?, named name: String, isURL: Bool)
    /// Returns all names that have a value. Called inside a lock.
    func names() -> [String]
    /// Calls `signal` whenever the value under a name may have changed, if the system announces that for the name.
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void)
    /// Makes the system write its file, as far as it supports that. False if it reports a failure.
    func synchronize() -> Bool
}

/// Keeps settings among values of the system, which other code changes, too.
///
/// Values are read inside the store's lock, and written outside of it: the system calls observers of a value while it is written, and
/// these may wait for another thread that uses the store. Until the system has a value, the store answers with the bytes that are
/// set.
final class SystemStore: SettingsStore {
    private struct State {
        var known = KnownValues()
        /// The bytes that are set, but not yet written.
        var unwritten: [String: Data?] = [:]
        /// The names whose bytes a thread is writing.
        var beingWritten: Set<String> = []
        /// The names of settings that hold a URL.
        var urls: Set<String> = []
    }

    let storeDescription: String
    private let values: any SystemValues
    private let state = Mutex(State(), .store)
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)

    init(_ values: any SystemValues, description: String) {
        self.values = values
        storeDescription = description
    }

    var feed: SettingsStoreFeed? { ownFeed }

    func get(_ key: SettingsService.StorageKey) -> Data? {
        follow(key)
        return state.withLock { state in
            let data = read(key.name, state)
            // Only the first time: listeners have not been notified of a change that is read here.
            if state.known[key.name] == nil { _ = state.known.record(data, under: key.name) }
            return data
        }
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        for entry in batch.writes + batch.expectations { follow(entry.key) }
        let isApplied = state.withLock { state in
            for entry in batch.expectations where read(entry.key.name, state) != entry.data { return false }
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let name = write.key.name
                notice(name, &state)
                guard let change = state.known.record(write.data, under: name) else { continue }
                state.unwritten[name] = .some(write.data)
                changes.append(change)
            }
            ownFeed.publish(changes, origin: .local)
            return true
        }
        if isApplied { for write in batch.writes { writeUnwritten(write.key.name) } }
        ownFeed.flush()
        return isApplied
    }

    func keys() -> [String] {
        state.withLock { state in
            values.names().filter { state.unwritten[$0] == nil } + state.unwritten.compactMapValues(\.self).keys
        }
    }

    func synchronize() throws {
        let isDone = values.synchronize()
        noticeChanges()
        guard isDone else { throw SettingsError(.notSaved, store: storeDescription) }
    }

    /// Publishes changes of other code to names that were read.
    ///
    /// - Parameter isConcerned: Returns whether a name may have changed.
    func noticeChanges(where isConcerned: (_ name: String) -> Bool = { _ in true }) {
        state.withLock { state in
            for name in state.known.names where isConcerned(name) { notice(name, &state) }
        }
        ownFeed.flush()
    }

    /// Publishes a change of other code, if the value is not the known one. Called inside the lock.
    private func notice(_ name: String, _ state: inout State) {
        guard let change = state.known.record(read(name, state), under: name) else { return }
        ownFeed.publish([change], origin: .external)
    }

    /// Returns the bytes of a value. Called inside the lock.
    private func read(_ name: String, _ state: State) -> Data? {
        state.unwritten[name] ?? values.data(named: name, isURL: state.urls.contains(name))
    }

    /// Observes a name before it is read the first time, so that a change in between is signaled.
    private func follow(_ key: SettingsService.StorageKey) {
        let name = key.name
        let isNew = state.withLock { state in
            // The bytes that were read before are not those of a URL.
            if key.holdsURL, state.urls.insert(name).inserted { state.known.forget(name) }
            return state.known[name] == nil
        }
        guard isNew else { return }
        values.observe(name) { [weak self] in self?.noticeChanges { $0 == name } }
    }

    /// Writes the value that is set under a name, unless another thread does, or this one in an outer call.
    private func writeUnwritten(_ name: String) {
        while let (data, isURL) = beginWriting(name) {
            values.write(data, named: name, isURL: isURL)
            state.withLock { state in
                state.beingWritten.remove(name)
                guard state.unwritten[name] == .some(data) else { return }
                state.unwritten[name] = nil
                // Other code may have changed the value meanwhile.
                notice(name, &state)
            }
        }
    }

    private func beginWriting(_ name: String) -> (data: Data?, isURL: Bool)? {
        state.withLock { state in
            guard let data = state.unwritten[name], state.beingWritten.insert(name).inserted else { return nil }
            return (data, state.urls.contains(name))
        }
    }
}

extension SettingsService.StorageKey {
    /// Whether a setting of this key holds a URL in its usual bytes.
    fileprivate var holdsURL: Bool { valueType == URL.self || valueType == URL?.self }
}

import Foundation
import SettingsKitCore
import Synchronization

/// The functions of `UserDefaults` that ``UserDefaultsContents`` uses. Each may call foreign code.
protocol UserDefaultsValues: Sendable {
    /// Returns the bytes of the value under a name; nil if there is none.
    func data(named name: String, isURL: Bool) -> Data?
    /// Stores bytes under a name, or removes them.
    func write(_ data: Data?, named name: String, isURL: Bool)
    /// Returns all names that have a value.
    func names() -> [String]
    /// Calls `signal` whenever the value under a name may have changed, if the system announces that for the name.
    func observe(_ name: String, _ signal: @escaping @Sendable () -> Void)
    /// Makes the system write its file, as far as it supports that. False if it reports a failure.
    func synchronize() -> Bool
    /// Calls `body`, which may use the values. Where only one thread may use them, no other does during the call.
    func use(_ body: () -> Void)
}

/// Keeps settings in `UserDefaults`, which other code changes, too: the logic of `UserDefaultsStore`.
///
/// No lock is held while a value is read or written: `UserDefaults` notifies its observers while it is written, and these
/// may wait for another thread that uses the store.
final class UserDefaultsContents: SettingsStore {
    let storeDescription: String
    private let values: any UserDefaultsValues
    private let known = Mutex(KnownValues(), .contents)
    let ownFeed = SettingsStoreFeed(isExhaustive: false)

    init(_ values: any UserDefaultsValues, description: String) {
        self.values = values
        storeDescription = description
    }

    var feed: SettingsStoreFeed? { ownFeed }

    func get(_ key: SettingsService.StorageKey) -> Data? {
        while true {
            let value = read(key)
            if known.withLock({ $0.record(value.data, for: value.reading) }) { return value.data }
        }
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        let keys = Dictionary(
            (batch.writes + batch.expectations).map { ($0.key.name, $0.key) },
            uniquingKeysWith: { $0.holdsURL ? $0 : $1 })
        while true {
            let read = keys.values.map(read)
            let outcome = known.withLock { known in
                let outcome = known.apply(batch, to: read)
                if case .applied(let outside, let own) = outcome {
                    ownFeed.publish(outside, origin: .external)
                    ownFeed.publish(own, origin: .local)
                }
                return outcome
            }
            switch outcome {
            case .outdated: continue
            case .refused: return false
            case .applied:
                for write in batch.writes { writeUnwritten(write.key.name) }
                ownFeed.flush()
                return true
            }
        }
    }

    func keys() -> [String] {
        let stored = values.names()
        return known.withLock { $0.names(among: stored) }
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
        noticeChanges(of: known.withLock { $0.names }.filter(isConcerned))
    }

    private func noticeChanges(of names: [String]) {
        var readings = known.withLock { $0.signal(names) }
        while !readings.isEmpty {
            let read = readings.map { ($0, values.data(named: $0.name, isURL: $0.isURL)) }
            readings = known.withLock { known in
                let (changes, outdated) = known.notice(read)
                ownFeed.publish(changes, origin: .external)
                return outdated
            }
        }
        ownFeed.flush()
    }

    private func read(_ key: SettingsService.StorageKey) -> (reading: KnownValues.Reading, data: Data?) {
        let name = key.name
        // Observed before it is read: a change in between is then signaled.
        if known.withLock({ $0.isNew(name) }) {
            values.observe(name) { [weak self] in self?.noticeChanges(of: [name]) }
        }
        let reading = known.withLock { known in
            let reading = known.beginReading(name)
            guard key.holdsURL, !reading.isURL else { return reading }
            known.recordURL(name)
            return known.beginReading(name)
        }
        return (reading, reading.unwritten ?? values.data(named: name, isURL: reading.isURL))
    }

    /// Writes the value that is set under a name, unless another thread does, or this one in an outer call.
    private func writeUnwritten(_ name: String) {
        var isSignaled = false
        values.use {
            while let (data, isURL) = known.withLock({ $0.beginWriting(name) }) {
                values.write(data, named: name, isURL: isURL)
                isSignaled = known.withLock { $0.endWriting(name, data) } || isSignaled
            }
        }
        if isSignaled { noticeChanges(of: [name]) }
    }
}

extension SettingsService.StorageKey {
    /// Whether a setting of this key holds a URL in its usual bytes.
    fileprivate var holdsURL: Bool { valueType == URL.self || valueType == URL?.self }
}

import Foundation
import SettingsKitCore
import Synchronization

/// A correct store of two functions, for broken ones to spoil.
final class PlainStore: SettingsStore {
    private let contents = Mutex<[String: Data]>([:])

    func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { contents.withLock { $0[key.name] = data } }
}

/// A store that does one thing wrong.
struct BrokenStore: SettingsStore {
    enum Fault: String, CaseIterable, Sendable {
        case takesEmptyDataForNothing
        case parsesJSON
        case refusesSlashes
        case ignoresCase
        case distinguishesCanonicalForms
        case keepsRemovedKeys
        case throwsWhenRemovingNothing
        case failsToSynchronize
        case ignoresExpectations
        case dropsTheLastWriteOfABatch
        case losesUpdates
    }

    struct Refusal: Error {}

    let fault: Fault
    private let plain = PlainStore()

    init(_ fault: Fault) { self.fault = fault }

    private func changed(_ key: SettingsService.StorageKey) throws -> SettingsService.StorageKey {
        switch fault {
        case .refusesSlashes where key.name.contains("/"): throw Refusal()
        case .ignoresCase: .init(key.name.lowercased(), scope: key.scope)
        case .distinguishesCanonicalForms:
            .init(key.name.unicodeScalars.map { "\($0.value)" }.joined(separator: " "), scope: key.scope)
        default: key
        }
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        plain.get(try changed(key))
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        let key = try changed(key)
        switch (fault, data) {
        case (.takesEmptyDataForNothing, let data?) where data.isEmpty: plain.set(key, to: nil)
        case (.parsesJSON, let data?):
            let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            let spelledAnew = try object.map {
                try JSONSerialization.data(withJSONObject: $0, options: [.fragmentsAllowed, .sortedKeys])
            }
            plain.set(key, to: spelledAnew ?? data)
        case (.keepsRemovedKeys, nil): break
        case (.throwsWhenRemovingNothing, nil) where plain.get(key) == nil: throw Refusal()
        default: plain.set(key, to: data)
        }
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        for expectation in batch.expectations where fault != .ignoresExpectations && fault != .losesUpdates {
            if try get(expectation.key) != expectation.data { return false }
        }
        let writes = fault == .dropsTheLastWriteOfABatch ? batch.writes.dropLast() : batch.writes[...]
        for write in writes { try set(write.key, to: write.data) }
        return true
    }

    func synchronize() throws {
        if fault == .failsToSynchronize { throw Refusal() }
    }
}

/// A store with a feed that does one thing wrong.
final class BrokenFeedStore: SettingsStore {
    enum Fault: String, CaseIterable, Sendable {
        case makesANewFeedEachTime
        case isSilent
        case announcesWhatIsEqual
        case announcesTwice
        case forgetsOldBytes
        case announcesABatchInPieces
    }

    private let fault: Fault
    private let contents = Mutex<[String: Data]>([:])
    private let ownFeed = SettingsStoreFeed()

    init(_ fault: Fault) { self.fault = fault }

    var feed: SettingsStoreFeed? { fault == .makesANewFeedEachTime ? SettingsStoreFeed() : ownFeed }

    func get(_ key: SettingsService.StorageKey) -> Data? { contents.withLock { $0[key.name] } }

    func set(_ key: SettingsService.StorageKey, to data: Data?) {
        _ = apply(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        defer { ownFeed.flush() }
        return contents.withLock { contents in
            for expectation in batch.expectations where contents[expectation.key.name] != expectation.data {
                return false
            }
            var changes: [SettingsStoreChange] = []
            for write in batch.writes {
                let old = contents[write.key.name]
                contents[write.key.name] = write.data
                if old == write.data && fault != .announcesWhatIsEqual { continue }
                changes.append(
                    .init(
                        name: write.key.name, from: fault == .forgetsOldBytes ? nil : old,
                        to: fault == .announcesWhatIsEqual && old == write.data ? Data("other".utf8) : write.data))
            }
            switch fault {
            case .isSilent: break
            case .announcesTwice:
                ownFeed.publish(changes, origin: .local)
                ownFeed.publish(changes, origin: .local)
            case .announcesABatchInPieces: for change in changes { ownFeed.publish([change], origin: .local) }
            default: ownFeed.publish(changes, origin: .local)
            }
            return true
        }
    }
}

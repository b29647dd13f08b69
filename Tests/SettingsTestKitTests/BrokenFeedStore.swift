import Foundation
import SettingsKitCore

/// A store with a feed that does one thing wrong.
final class BrokenFeedStore: SettingsStore {
    enum Fault: String, CaseIterable, Sendable {
        case makesANewFeedEachTime
        case isSilent
        case announcesWhatIsEqual
        case announcesTwice
        case forgetsOldBytes
        case announcesABatchInPieces
        case announcesRefusedBatches
        case removesAllInSilence
        case ignoresExpectations
        case announcesOutsideTheLock

        /// The rules that it breaks, perhaps besides others.
        var rules: [String] {
            switch self {
            case .makesANewFeedEachTime: ["feed.same"]
            case .isSilent: ["feed.once", "feed.current"]
            case .announcesWhatIsEqual: ["feed.changes-only"]
            case .announcesTwice, .forgetsOldBytes: ["feed.once"]
            case .announcesABatchInPieces: ["feed.batch"]
            case .announcesRefusedBatches: ["feed.refused"]
            case .removesAllInSilence: ["feed.remove-all"]
            case .ignoresExpectations: ["threads.update"]
            case .announcesOutsideTheLock: ["threads.order"]
            }
        }
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

    func keys() -> [String] { contents.withLock { Array($0.keys) } }

    func removeAll() {
        if fault == .removesAllInSilence { return contents.withLock { $0 = [:] } }
        let writes = keys().map { name in
            SettingsStoreBatch.Entry(key: .init(name, scope: .custom(id: "conformance")), data: nil)
        }
        _ = apply(SettingsStoreBatch(writes: writes))
    }

    func apply(_ batch: SettingsStoreBatch) -> Bool {
        defer { ownFeed.flush() }
        // So that others write between the reading and the writing of an update.
        if fault == .ignoresExpectations { usleep(20) }
        let (isApplied, changes) = contents.withLock { contents -> (Bool, [SettingsStoreChange]) in
            let isExpected = batch.expectations.allSatisfy { contents[$0.key.name] == $0.data }
            let changes = self.changes(by: batch, to: contents)
            guard isExpected || fault == .ignoresExpectations else {
                if fault == .announcesRefusedBatches { ownFeed.publish(changes, origin: .local) }
                return (false, [])
            }
            for write in batch.writes { contents[write.key.name] = write.data }
            if fault != .announcesOutsideTheLock { publish(changes) }
            return (true, changes)
        }
        if fault == .announcesOutsideTheLock {
            usleep(.random(in: 0...100))
            publish(changes)
        }
        return isApplied
    }

    private func changes(by batch: SettingsStoreBatch, to contents: [String: Data]) -> [SettingsStoreChange] {
        batch.writes.compactMap { write in
            let old = contents[write.key.name]
            if old == write.data && fault != .announcesWhatIsEqual { return nil }
            return SettingsStoreChange(
                name: write.key.name, from: fault == .forgetsOldBytes ? nil : old,
                to: fault == .announcesWhatIsEqual && old == write.data ? Data("other".utf8) : write.data)
        }
    }

    private func publish(_ changes: [SettingsStoreChange]) {
        switch fault {
        case .isSilent: break
        case .announcesTwice:
            ownFeed.publish(changes, origin: .local)
            ownFeed.publish(changes, origin: .local)
        case .announcesABatchInPieces: for change in changes { ownFeed.publish([change], origin: .local) }
        default: ownFeed.publish(changes, origin: .local)
        }
    }
}

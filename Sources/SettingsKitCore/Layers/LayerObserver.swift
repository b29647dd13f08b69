import Synchronization

/// The table of a ``LayeredStore``, and the feed on which its changes are published.
///
/// The observers of the layers hold this object. They must not hold the store: if its last owner released it meanwhile, its layers
/// would be released inside the lock of one of them.
final class LayeredContents: Sendable {
    let table: Mutex<LayerTable>
    /// Exhaustive once every layer is followed.
    let feed: SettingsStoreFeed

    /// - Parameters:
    ///   - earlier: What the layers' stores held before external changes.
    ///   - agreesWithOthers: Whether the writable layer does.
    init(_ table: LayerTable, earlier: EarlierBytes, agreesWithOthers: Bool) {
        self.table = Mutex(table, .layers)
        feed = SettingsStoreFeed(isExhaustive: false, earlier: earlier, agreesWithOthers: agreesWithOthers)
    }

    /// Publishes changes that have waited. Called inside the lock.
    func publish(_ settled: [(change: SettingsStoreChange, origin: SettingsService.Origin)]) {
        for origin in [SettingsService.Origin.local, .external] {
            feed.publish(settled.filter { $0.origin == origin }.map(\.change), origin: origin)
        }
    }
}

/// Listens to the feed of one layer of a ``LayeredStore``, or receives the readings of its text, and publishes the changes for
/// readers of the store.
///
/// The layer's lock is outside of the lock of the table. The layer is not called inside either.
final class LayerObserver: StoreFeedListener {
    private let contents: LayeredContents
    private let layer: Int
    private let name: String?
    private weak let reader: LayerReader?

    init(of layer: Int, named name: String?, in contents: LayeredContents, with reader: LayerReader) {
        (self.contents, self.layer, self.name, self.reader) = (contents, layer, name, reader)
    }

    var receivesErrors: Bool { true }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool {
        let isFollowingAll = contents.table.withLock { table in
            contents.feed.publish(table.apply(changes, of: layer, origin: origin), origin: origin)
            return table.isFollowingAll
        }
        return !isFollowingAll || contents.feed.isFlushDue
    }

    func storeDidReleaseLock() {
        if !contents.feed.isExhaustive { reader?.attend(forced: layer) }
        contents.feed.flush()
    }

    func storeDidReport(_ error: SettingsError) {
        contents.feed.report(error.completed(key: nil, store: nil, layer: name))
        // A stand-in reports `recovered` when its store opens.
        if error.code == .recovered { reader?.attend(forced: layer) }
    }

    func storeDidBecomeExhaustive(_ feed: SettingsStoreFeed) {
        contents.table.withLock { $0.recordExhaustive(layer, at: .now) }
    }

    /// Records a reading of the layer's text. Called with no lock held.
    func receive(_ reading: LayerTextReading) {
        switch reading {
        case .text(let text):
            contents.table.withLock { table in
                let changes = table.replaceText(of: layer, by: text)
                if !changes.isEmpty { contents.feed.publish(changes, origin: .external) }
            }
            reader?.attend()
        case .failed(let error):
            let error = error.completed(key: nil, store: nil, layer: name)
            contents.table.withLock { $0.record(error, of: layer) }
            contents.feed.report(error)
        }
    }
}

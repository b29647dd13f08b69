import Synchronization

/// The contents of a ``LayeredStore``, and the feed on which their changes are published.
///
/// The observers of the layers hold this object. They must not hold the store: if its last owner released it meanwhile, its layers
/// would be released inside the lock of one of them.
final class LayeredMirror: Sendable {
    let contents: Mutex<LayeredContents>
    let feed: SettingsStoreFeed
    /// Whether all layers are followed and no change waits, so that a change needs no further work. Changed inside the lock.
    let isSettled: Atomic<Bool>

    /// - Parameter lastGood: The bytes in force in place of a layer's bad ones.
    init(_ contents: LayeredContents, lastGood: LastGoodBytes) {
        feed = SettingsStoreFeed(isExhaustive: contents.isFollowingAll, lastGood: lastGood)
        isSettled = Atomic(contents.isFollowingAll)
        self.contents = Mutex(contents, .layers)
    }

    /// Records whether changes need further work. Called inside the lock.
    func update(from contents: borrowing LayeredContents) { isSettled.store(contents.isSettled, ordering: .releasing) }
}

/// Listens to the feed of one layer of a ``LayeredStore``, and publishes the changes for readers of the store.
///
/// The layer's lock is outside of the lock of the contents. The layer is not called inside either.
final class LayerObserver: StoreFeedListener {
    private let mirror: LayeredMirror
    private let layer: Int
    private let name: String?
    private weak let owner: LayeredStore?

    init(of layer: Int, named name: String?, in mirror: LayeredMirror, of owner: LayeredStore) {
        (self.mirror, self.layer, self.name, self.owner) = (mirror, layer, name, owner)
    }

    var receivesErrors: Bool { true }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool {
        let isSettled = mirror.contents.withLock { contents in
            mirror.feed.publish(contents.apply(changes, of: layer, origin: origin), origin: origin)
            if !contents.isSettled { mirror.update(from: contents) }
            return contents.isSettled
        }
        return !isSettled || mirror.feed.isFlushDue
    }

    func storeDidReleaseLock() {
        if !mirror.isSettled.load(ordering: .acquiring) { owner?.attend(forced: layer) }
        mirror.feed.flush()
    }

    func storeDidReport(_ error: SettingsError) {
        mirror.feed.report(error.completed(key: nil, store: nil, layer: name))
        // A stand-in reports `recovered` when its store opens.
        if error.code == .recovered { owner?.attend(forced: layer) }
    }

    func storeDidBecomeExhaustive(_ feed: SettingsStoreFeed) {
        mirror.contents.withLock { $0.recordExhaustive(layer) }
    }
}

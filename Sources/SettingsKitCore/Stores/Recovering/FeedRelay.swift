/// Passes the changes and problems of a store on to the ``RecoveringStore`` that stands in for it.
final class FeedRelay: StoreFeedListener {
    private let target: WeakReference<RecoveringStore>

    init(to target: RecoveringStore) {
        self.target = WeakReference(target)
    }

    var knownNames: [String] { target.object.map { Array($0.ownFeed.knownNames) } ?? [] }

    func storeDidChange(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        target.object?.take(changes, origin: origin)
    }

    func storeDidReleaseLock() { target.object?.ownFeed.flush() }

    func storeDidReport(_ error: SettingsError) { target.object?.ownFeed.report(error) }

    func storeDidBecomeExhaustive() {}
}

import SettingsKitCore

extension PendingWrites {
    /// Creates the pending writes of a store, which are stored in the background.
    package convenience init(_ feed: SettingsStoreFeed) {
        let queue = BackgroundQueue()
        self.init(feed, System(schedule: { queue.async(after: $0, $1) }, forkCount: { Fork.count }))
    }
}

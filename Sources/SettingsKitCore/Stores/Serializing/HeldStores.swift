/// The stores inside whose locks the calling thread runs foreign code, and the feeds to flush when it holds none of these locks.
///
/// The code may set settings of other stores, whose listeners must not run inside the locks.
final class HeldStores {
    /// The address of the thread's object; zero on a thread that holds no such lock.
    private static let address = ThreadWord()

    private static var current: HeldStores? {
        UnsafeRawPointer(bitPattern: address.value).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private var stores: [any SettingsStore & AnyObject] = []
    private var feeds: [SettingsStoreFeed] = []

    /// Has a feed flushed when the calling thread holds no lock of a store without a feed.
    ///
    /// - Returns: False if it holds none now.
    static func postponeFlush(of feed: SettingsStoreFeed) -> Bool {
        guard let current else { return false }
        if !current.feeds.contains(where: { $0 === feed }) { current.feeds.append(feed) }
        return true
    }

    /// Runs `body` as the one that holds the lock of `store`, then flushes what it has postponed.
    static func hold<R>(_ store: any SettingsStore & AnyObject, _ body: () throws -> R) rethrows -> R {
        if let current { return try current.hold(store, body) }
        let held = HeldStores()
        address.value = UInt(bitPattern: Unmanaged.passUnretained(held).toOpaque())
        defer {
            address.value = 0
            for feed in held.feeds { feed.flush() }
        }
        return try held.hold(store, body)
    }

    private func hold<R>(_ store: any SettingsStore & AnyObject, _ body: () throws -> R) rethrows -> R {
        precondition(
            !stores.contains { $0 === store },
            "The store \(store.storeDescription) is written while it writes. Its functions may write to other stores only."
        )
        stores.append(store)
        defer { stores.removeLast() }
        return try body()
    }
}

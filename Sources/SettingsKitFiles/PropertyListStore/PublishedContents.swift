import SettingsKitCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a property list in memory, and the feed on which their changes are published.
///
/// Reading uses nothing else. The lock is never held while a file is used, so that reading never waits for a file. Each change is
/// published before the lock is released. No listener runs inside the lock: the caller flushes the feed outside of every lock.
final class PublishedContents: Sendable {
    private struct State {
        var contents: PropertyListContents
        /// The changes that are being published. The memory is reused by later changes.
        var changes: [SettingsStoreChange] = []
    }

    let feed = SettingsStoreFeed()
    private let limit: Int
    private let description: String
    private let state: Mutex<State>

    init(_ contents: PropertyListContents, _ setup: PropertyListSetup) {
        (limit, description) = (setup.limits.contents, setup.description)
        state = Mutex(State(contents: contents), .contents)
    }

    /// Calls `body` with the contents while no other thread uses them.
    func withLock<R: ~Copyable, Failure: Error>(
        _ body: (inout PropertyListContents) throws(Failure) -> sending R
    ) throws(Failure) -> sending R {
        try state.withLock { state throws(Failure) in try body(&state.contents) }
    }

    /// Makes changes, and publishes those that `body` returns.
    func change(
        origin: SettingsService.Origin, _ body: (inout PropertyListContents) -> [SettingsStoreChange]
    ) {
        state.withLock { state in feed.publish(body(&state.contents), origin: origin) }
    }

    /// Stores other bytes in place of a finding's, or removes it, and publishes the change of this process.
    ///
    /// - Parameter position: The end of the change in the journal.
    func replace(_ found: borrowing PropertyListContents.Finding, by data: Data?, at position: Int64) {
        state.withLock { state in
            state.changes.append(state.contents.replace(found, by: data, at: position))
            feed.publish(state.changes, origin: .local)
            state.changes.removeAll(keepingCapacity: true)
        }
    }

    // MARK: The limit

    /// Refuses changes that would make the property list too large to be read.
    func requireRoom(for changes: [JournalChange]) throws(SettingsError) {
        let (growth, size) = withLock { contents in
            let growth = changes.reduce(0) { growth, change in
                let present = contents.data(named: change.name)
                return growth + PropertyListContents.size(of: change.name, change.data)
                    - PropertyListContents.size(of: change.name, present)
            }
            return (growth, contents.size)
        }
        try requireRoom(growth, size)
    }

    /// Refuses other bytes in place of a finding's that would make the property list too large to be read.
    func requireRoom(for data: Data?, inPlaceOf found: borrowing PropertyListContents.Finding) throws(SettingsError) {
        try requireRoom(found.growth(with: data), found.contentsSize)
    }

    private func requireRoom(_ growth: Int, _ size: Int) throws(SettingsError) {
        guard growth > 0, size + growth > limit else { return }
        throw SettingsError(.tooLarge, store: description, underlying: TooMuch.contents(limit: limit))
    }
}

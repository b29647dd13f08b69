import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A channel's connection to one store, from the moment it listens to the store's feed.
///
/// While a channel goes over from one store to another, both are connected: the changes of the one still count, those of
/// the other are only noted, and neither's are missed.
final class Attachment: StoreFeedListener {
    let hub: StoreHub
    /// Held in a circle with the channel, until the channel goes over to another store or its service goes. A change may
    /// just be announced then, and finds everything in place.
    private let channel: Channel

    init(hub: StoreHub, channel: Channel) {
        self.hub = hub
        self.channel = channel
    }

    var knownNames: [String] { channel.knownNames }

    func storeDidChange(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        channel.take(changes, origin: origin, from: self)
    }

    func storeDidReleaseLock() { channel.deliver() }

    func storeDidReport(_ error: SettingsError) { channel.diagnostics.report(error) }

    func storeDidBecomeExhaustive() { channel.noteThatAllIsAnnounced(by: self) }
}

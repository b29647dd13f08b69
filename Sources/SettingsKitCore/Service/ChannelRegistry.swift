import Synchronization

/// A service's channels, one a scope, and what they share.
final class ChannelRegistry: Sendable {
    let diagnostics: Diagnostics
    let groups = GroupListeners()
    /// Whether all scopes are in one store.
    let hasOneStore: Bool
    /// There are few scopes. A dictionary of them costs a process a noticeable part of its start, because the runtime has
    /// to find out first that a scope is hashable.
    private let channels = Mutex<[Channel]>([])

    init(diagnostics: Diagnostics, hasOneStore: Bool) {
        self.diagnostics = diagnostics
        self.hasOneStore = hasOneStore
    }

    /// The channel of a scope; made if the scope is new.
    func channel(for scope: SettingsService.Scope) -> Channel {
        let scope = hasOneStore ? .defaults : scope
        return channels.withLock { channels in
            if let channel = channels.first(where: { $0.scope == scope }) { return channel }
            let channel = Channel(scope: scope, diagnostics: diagnostics, groups: groups)
            channels.append(channel)
            return channel
        }
    }

    var all: [Channel] { channels.withLock { $0 } }
}

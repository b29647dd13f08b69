import Synchronization

/// A service's channels, one a scope, and what they share.
final class ChannelRegistry: Sendable {
    let diagnostics: Diagnostics
    let groups = GroupListeners()
    /// Whether all scopes are in one store.
    let hasOneStore: Bool
    private let channels = Mutex<[SettingsService.Scope: Channel]>([:])

    init(diagnostics: Diagnostics, hasOneStore: Bool) {
        self.diagnostics = diagnostics
        self.hasOneStore = hasOneStore
    }

    /// The channel of a scope; made if the scope is new.
    func channel(for scope: SettingsService.Scope) -> Channel {
        let scope = hasOneStore ? .defaults : scope
        return channels.withLock { channels in
            if let channel = channels[scope] { return channel }
            let channel = Channel(scope: scope, diagnostics: diagnostics, groups: groups)
            channels[scope] = channel
            return channel
        }
    }

    var all: [Channel] { channels.withLock { Array($0.values) } }
}

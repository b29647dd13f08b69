import Synchronization

/// Listens to several settings of any types, or to all settings of a scope.
final class GroupListener: Sendable {
    /// The keys that it listens to; nil for every setting.
    private let keys: Set<SettingsService.StorageKey>?
    /// The scope that it listens to; nil for every scope.
    private let scope: SettingsService.Scope?
    private let body: @Sendable (SettingsService.ChangeSet) -> Void
    let isActive = Atomic(true)

    init(
        keys: Set<SettingsService.StorageKey>?, scope: SettingsService.Scope?,
        body: @escaping @Sendable (SettingsService.ChangeSet) -> Void
    ) {
        self.keys = keys
        self.scope = scope
        self.body = body
    }

    /// Returns the names in a scope that it listens to, unless it listens to all.
    func names(in scope: SettingsService.Scope) -> [String] {
        keys?.filter { $0.scope == scope }.map(\.name) ?? []
    }

    /// Returns whether it listens to every name in a scope.
    func listensToAll(of scope: SettingsService.Scope) -> Bool {
        keys == nil && (self.scope ?? scope) == scope
    }

    /// Passes on those changes that the listener listens to.
    func deliver(_ changes: SettingsService.ChangeSet) {
        guard isActive.load(ordering: .acquiring) else { return }
        HeldLocks.requireNone(before: "a listener")
        let concerned = changes.keys.filter { key in
            (keys?.contains(key) ?? true) && (scope.map { $0 == key.scope } ?? true)
        }
        if !concerned.isEmpty { body(.init(keys: concerned, origin: changes.origin)) }
    }
}

import Synchronization

/// Listens to several settings, whatever their types, or to all of a scope.
final class GroupListener: Sendable {
    /// nil stands for every setting.
    private let keys: Set<SettingsService.StorageKey>?
    /// nil stands for every scope.
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

    /// The names in a scope that it listens to, where it does not listen to all.
    func names(in scope: SettingsService.Scope) -> [String] {
        keys?.filter { $0.scope == scope }.map(\.name) ?? []
    }

    /// Whether it listens to every name in a scope.
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

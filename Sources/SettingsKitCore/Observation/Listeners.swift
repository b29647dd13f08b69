import Synchronization

/// Listens to one setting.
final class SettingListener: Sendable {
    enum Body: Sendable {
        /// Receives each change, and passes its values on with ``call(_:)``: a default may be computed by the program, and that may
        /// cancel the listener.
        case change(@Sendable (SlotChange, SettingListener) -> Void)
        /// Receives only the number of each commit that changed the setting, and reads the value itself. The greatest number means
        /// that the value is new, even for a listener that has seen a later commit.
        case signal(@Sendable (UInt64) -> Void)
    }

    let body: Body
    /// The last commit before the listener was added.
    let since: UInt64
    let isActive = Atomic(true)

    init(since: UInt64, body: Body) {
        self.since = since
        self.body = body
    }

    func deliver(_ change: SlotChange, signal: UInt64) {
        HeldLocks.requireNone(before: "a listener")
        switch body {
        case .change(let deliver): deliver(change, self)
        case .signal(let deliver): call { deliver(signal) }
        }
    }

    /// Calls the user's code, unless the listener is cancelled.
    func call(_ body: () -> Void) { if isActive.load(ordering: .acquiring) { body() } }
}

/// A change that is delivered to listeners.
struct SlotChange: Sendable {
    let slot: AnySlot
    let before: Verdict
    let after: Verdict
    let origin: SettingsService.Origin
}

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

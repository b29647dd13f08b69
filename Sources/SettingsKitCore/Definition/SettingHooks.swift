/// The code that runs around this program's changes of a setting.
struct SettingHooks<Value: Sendable>: Sendable {
    typealias Hook = @Sendable (_ oldValue: Value, _ newValue: Value) -> Void

    /// The setting's namespaces, outermost first.
    let namespaces: [any SettingsNamespace.Type]
    let willChange: Hook?
    let didChange: Hook?

    /// Whether the hooks need the values of a change.
    var needsValues: Bool { willChange != nil || didChange != nil }

    /// - Returns: nil if there are no hooks.
    init?(namespace: (any SettingsNamespace.Type)?, willChange: Hook? = nil, didChange: Hook? = nil) {
        namespaces = namespace?.path ?? []
        self.willChange = willChange
        self.didChange = didChange
        if namespaces.isEmpty && !needsValues { return nil }
    }
}

/// A change with hooks: what the sources hold before and after it.
struct HookedChange {
    let old: Row
    let new: Row
    /// The new value; nil if only its bytes are known.
    let newValue: (any Sendable)?
    let sources: Sources
}

/// The hooks around one commit of one or more settings.
struct CommitHooks {
    private var namespaces: [any SettingsNamespace.Type] = []
    private var willChange: [() -> Void] = []
    private var didChange: [() -> Void] = []

    /// Adds the hooks of namespaces.
    mutating func add(_ namespaces: [any SettingsNamespace.Type]) {
        for namespace in namespaces where !self.namespaces.contains(where: { $0 == namespace }) {
            self.namespaces.append(namespace)
        }
    }

    /// Adds the hooks for a change of a setting.
    mutating func add<Value>(
        _ hooks: SettingHooks<Value>, oldValue: @autoclosure () -> Value, newValue: @autoclosure () -> Value
    ) {
        add(hooks.namespaces)
        guard hooks.needsValues else { return }
        let (old, new) = (oldValue(), newValue())
        if let hook = hooks.willChange { willChange.append { hook(old, new) } }
        if let hook = hooks.didChange { didChange.append { hook(old, new) } }
    }

    func callBefore() {
        HeldLocks.requireNone(before: "a hook")
        for namespace in namespaces { namespace.preCommitHook() }
        for call in willChange { call() }
    }

    func callAfter() {
        HeldLocks.requireNone(before: "a hook")
        for call in didChange { call() }
        for namespace in namespaces.reversed() { namespace.postCommitHook() }
    }
}

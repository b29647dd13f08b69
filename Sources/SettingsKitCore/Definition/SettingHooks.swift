#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is called around the changes that this program makes to a setting.
struct SettingHooks<Value: Sendable>: Sendable {
    typealias Hook = @Sendable (_ oldValue: Value, _ newValue: Value) -> Void

    /// The namespaces that the setting is in, the outermost first.
    let namespaces: [any SettingsNamespace.Type]
    let willChange: Hook?
    let didChange: Hook?

    /// Whether the values are needed, and not only that there is a change.
    var needsValues: Bool { willChange != nil || didChange != nil }

    /// - Returns: nil if nobody is to be called.
    init?(namespace: (any SettingsNamespace.Type)?, willChange: Hook? = nil, didChange: Hook? = nil) {
        namespaces = namespace?.path ?? []
        self.willChange = willChange
        self.didChange = didChange
        if namespaces.isEmpty && !needsValues { return nil }
    }
}

/// A change around which somebody is to be called.
struct HookedChange {
    let oldData: Data?
    let newData: Data?
    /// The value that is being set; nil when it is only known as bytes.
    let newValue: (any Sendable)?
}

/// The calls around one commit of one or more settings.
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

    /// Adds the calls around a change of a setting.
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
        for namespace in namespaces { namespace.preCommitHook() }
        for call in willChange { call() }
    }

    func callAfter() {
        for call in didChange { call() }
        for namespace in namespaces.reversed() { namespace.postCommitHook() }
    }
}

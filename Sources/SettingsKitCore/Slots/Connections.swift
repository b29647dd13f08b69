import Synchronization

/// A service's connections to its stores, one per scope, and their common state.
final class Connections: Sendable {
    let diagnostics: Diagnostics
    /// Whether one store holds all scopes.
    let hasOneStore: Bool
    /// The connections, and the listeners to groups, which later connections get, too. A leaf: nothing is called inside the lock.
    ///
    /// An array, because there are few scopes, and a dictionary slows the start of a process: the runtime first has to look up that
    /// a scope is hashable.
    private let state = Mutex<(connections: [Connection], groups: [GroupListener])>(([], []), .leaf)

    init(diagnostics: Diagnostics, hasOneStore: Bool) {
        self.diagnostics = diagnostics
        self.hasOneStore = hasOneStore
    }

    /// Returns the connection of a scope, and creates it if the scope is new.
    subscript(scope: SettingsService.Scope) -> Connection {
        let scope = hasOneStore ? .defaults : scope
        return state.withLock { state in
            if let connection = state.connections.first(where: { $0.scope == scope }) { return connection }
            let connection = Connection(scope: scope, diagnostics: diagnostics, groups: state.groups)
            state.connections.append(connection)
            return connection
        }
    }

    var all: [Connection] { state.withLock { $0.connections } }

    /// Adds a listener to groups of settings, in every scope.
    ///
    /// - Returns: A closure that removes the listener.
    func add(_ listener: GroupListener) -> @Sendable () -> Void {
        let connections = state.withLock { state in
            state.groups.append(listener)
            return state.connections
        }
        for connection in connections { connection.add(listener) }
        return { [self] in
            listener.isActive.store(false, ordering: .releasing)
            let connections = state.withLock { state in
                state.groups.removeAll { $0 === listener }
                return state.connections
            }
            for connection in connections { connection.remove(listener) }
        }
    }
}

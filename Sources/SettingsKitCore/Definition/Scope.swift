extension SettingsService {
    /// Where a setting lives: the service maps each scope to the store that is registered for it.
    public enum Scope: Hashable, Sendable {
        /// Settings of this app on this machine.
        case defaults
        /// Settings that follow a person across devices.
        case shared
        /// Settings in a store of the app's own choosing, told apart by `id`.
        case custom(id: String)
    }
}

extension SettingsService.Scope: CustomStringConvertible {
    /// The scope as it is spelled in code, `.custom(id: "vault")` for example.
    public var description: String {
        switch self {
        case .defaults: ".defaults"
        case .shared: ".shared"
        case .custom(let id): ".custom(id: \"\(id)\")"
        }
    }
}

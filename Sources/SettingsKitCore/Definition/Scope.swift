extension SettingsService {
    /// The purpose of a setting. The service maps each scope to a store.
    public enum Scope: Hashable, NonisolatedExtensions, Sendable {
        /// Settings of this app on this machine.
        case defaults
        /// Settings that follow a person across devices.
        case shared
        /// Settings in another store of the app, distinguished by `id`.
        case custom(id: String)
    }
}

extension SettingsService.Scope: CustomStringConvertible {
    /// The scope as in source code, for example `.custom(id: "vault")`.
    public var description: String {
        switch self {
        case .defaults: ".defaults"
        case .shared: ".shared"
        case .custom(let id): ".custom(id: \"\(id)\")"
        }
    }
}

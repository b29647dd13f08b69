#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The environment variables whose names begin with a prefix.
struct EnvironmentText: Sendable {
    let prefix: String
    private let variables: [String: String]

    init(_ environment: [String: String], prefix: String) {
        self.prefix = prefix
        variables = environment.filter { $0.key.hasPrefix(prefix) }
    }

    var isEmpty: Bool { variables.isEmpty }

    var names: Set<String> { Set(variables.keys) }

    /// Returns the variable's candidate for a setting; nil if there is none.
    func candidate(for name: String) -> SettingsStoreCandidate? {
        let variable = SettingSpelling.variable(for: name, prefix: prefix)
        guard let text = variables[variable] else { return nil }
        return SettingsStoreCandidate(Data(text.utf8), form: .text, location: variable)
    }
}
